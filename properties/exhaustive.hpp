// Runs that leave nothing out: 4-bit weights have so few codes, scales and zero points that a kernel's
// dequantization can be tried on all of them.
//
//   scales   every code under every half as a scale, bit for bit
//   zeros    every code with every half as a zero point, bit for bit; formats with zero points only
//   places   every code at every row, column and k of a tile
//   words    every packed word
//
// Products are asked by identity probes: row m of A is a unit vector, so C is W. An infinite or NaN weight
// spoils its whole column, so those are tried alone as well, with K = 1.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/verify/problem.hpp"
#include "properties/case.hpp"
#include "properties/operation.hpp"

namespace assay::properties {

inline constexpr std::uint64_t kAllWords = std::uint64_t{1} << 32;

/// Part of the packed words, by their numbers in the order of a sweep (word_of): first .. first + count - 1,
/// as far as there are any. Parts can be run apart, and add up.
struct WordRange {
  std::uint64_t first = 0, count = kAllWords;

  /// One past the last; no more than kAllWords.
  std::uint64_t end() const { return first + std::min(count, kAllWords - std::min(first, kAllWords)); }
};

/// Which cases an exhaustive run of one kernel consists of.
class ExhaustivePlan {
 public:
  /// `words` are rounded up to whole launches. Throws std::invalid_argument when weights of the operation are
  /// not 4-bit codes: there is no such run.
  ExhaustivePlan(const Operation& operation, const KernelTraits& traits, WordRange words = {});

  std::uint64_t size() const { return listed_.size() + word_cases_; }
  Case at(std::uint64_t index) const;

  /// The first case of the part "words": that and those after it differ in knob `word` alone.
  std::uint64_t first_of_words() const { return listed_.size(); }
  std::uint64_t words_per_case() const { return words_per_case_; }

 private:
  std::vector<Case> listed_;  ///< scales, zeros and places
  Case words_;
  std::uint64_t first_word_ = 0, word_cases_ = 0, words_per_case_ = 0;
};

/// What an exhaustive run has shown: a weight counts where an element of the output could be nothing else.
class ExhaustiveCoverage {
 public:
  explicit ExhaustiveCoverage(const Operation& operation);
  void add(const Case& problem, const verify::Problem& made, const Arithmetic& arithmetic);
  /// What was not shown, one line each: a requirement of the kernel may leave no case for it.
  std::vector<std::string> missing() const;

 private:
  using Pairs = std::bitset<std::size_t{1} << 20>;  ///< 16 (bits of a half) + code
  const Operation& operation_;
  std::unique_ptr<Pairs> scales_ = std::make_unique<Pairs>(), zeros_ = std::make_unique<Pairs>();
};

/// The same values with one column of the packed weights only: the smallest case that holds a wrong element.
/// `row` and `column` of the output.
Case narrowed(const Case& problem, std::size_t row, std::size_t column);

/// Launches of the part "words", judged without an Expectation each: the values of codes 0..15 are all there
/// is to know.
class WordSweep {
 public:
  WordSweep(const Operation& operation, const Arithmetic& arithmetic, const Case& words);
  /// The problem of that knob `word`; good until the next call.
  const verify::Problem& problem(std::uint64_t word);
  /// Whether the kernel's output is right for the last problem().
  bool right(const verify::Tensor& output) const;

 private:
  verify::Problem problem_;
  std::uint16_t weights_[16], relevant_[16];  ///< bits of a code's weight, and those that must agree
};

}  // namespace assay::properties
