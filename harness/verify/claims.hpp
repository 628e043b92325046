// Figures that a kernel's author claims (the manifest's `claims`), and holding them against what is counted.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/verify/binding.hpp"
#include "harness/verify/manifest.hpp"

namespace assay {

/// A counted quantity. Where it is one of many things that may differ (how often each byte is loaded), the
/// least and the most of them. Infinite where nothing limits it.
struct Figure {
  double low = 0, high = 0;

  Figure() = default;
  Figure(double value) : low(value), high(value) {}
  Figure(double least, double most) : low(least), high(most) {}
  bool operator==(const Figure&) const = default;
};

/// "16384", "61.3", "4 to 8", "unlimited".
std::string to_text(const Figure& figure);
/// A number in few digits: "16384", "61.3".
std::string number_text(double value);

/// By name: those of counters(), with tensors and variables filled in.
using Figures = std::map<std::string, Figure, std::less<>>;

/// What can be counted, and claimed. A counter of a tensor or of a variable in threadgroup memory is named
/// `name_of_B`, `name_of_A_tile`.
struct Counter {
  enum class Subject { kernel, tensor, variable };
  /// What a launch has more of where it is a difference between two launches: K tiles (which need a tile and
  /// a K), interleaved streams, rows of a batch.
  enum class Per { launch, k_tile, stream, batch_row };
  std::string_view name;
  Subject subject = Subject::kernel;
  Per per = Per::launch;
  std::string_view about;  ///< one sentence
};

std::span<const Counter> counters();

/// The counter that a name refers to; null where there is none.
const Counter* find_counter(std::string_view name);

/// Throws ManifestError unless every claim names a counter, and a tensor of the operation where it names
/// one, and can be counted of this entry.
void check_claims(const KernelEntry& entry, const ArgumentNames& signature);

struct ClaimResult {
  std::string name;
  double claimed = 0;
  std::optional<Figure> measured;  ///< nothing where the kernel has no such thing to count

  /// Equal, to the last digit: averages are measured to one decimal place.
  bool holds() const { return measured && measured->low == claimed && measured->high == claimed; }
  /// One line: "threadgroup_bytes is claimed to be 8192; measured: 16384".
  std::string text() const;
};

/// Every claim of the entry, in the order of the names.
std::vector<ClaimResult> compare_claims(const KernelEntry& entry, const Figures& figures);

}  // namespace assay
