// Runs that leave nothing out, for operations whose inputs are few enough to try them all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "assay/problem.hpp"
#include "properties/cases/case.hpp"
#include "properties/cases/traits.hpp"

namespace assay::properties {

/// How many words of 32 bits there are.
inline constexpr std::uint64_t kAllWords = std::uint64_t{1} << 32;

/// Part of what a run sweeps over, by number: first .. first + count - 1, as far as there are any. Parts can
/// be run apart, and add up.
struct WordRange {
  std::uint64_t first = 0, count = kAllWords;

  /// One past the last; no more than kAllWords.
  std::uint64_t end() const { return first + std::min(count, kAllWords - std::min(first, kAllWords)); }
};

/// Cases that differ in one tensor alone, judged without an Expectation each: of a sweep over all values of a
/// word, making and judging problems one by one would take longer than the kernel does.
class Sweep {
 public:
  virtual ~Sweep() = default;
  /// The problem of a case of the sweep; good until the next call.
  virtual const Problem& problem(const Case& swept) = 0;
  /// Whether the kernel's output is right for the last problem().
  virtual bool right(const Tensor& output) const = 0;
};

/// All cases of an exhaustive run of one kernel, and what they have shown.
class ExhaustiveRun {
 public:
  virtual ~ExhaustiveRun() = default;

  virtual std::uint64_t size() const = 0;
  virtual Case at(std::uint64_t index) const = 0;

  /// The first case that a Sweep can make and judge: that and those after it.
  virtual std::uint64_t first_swept() const = 0;
  virtual std::unique_ptr<Sweep> sweep(const Arithmetic& arithmetic) const = 0;

  /// The smallest case that holds the element (row, column) of the output.
  virtual Case narrowed(const Case& failed, std::size_t row, std::size_t column) const = 0;

  /// Notes what a case that passed has shown.
  virtual void cover(const Case& passed, const Problem& problem, const Arithmetic& arithmetic) = 0;
  /// What was not shown, one line each: a requirement of the kernel may leave no case for it.
  virtual std::vector<std::string> missing() const = 0;
};

}  // namespace assay::properties
