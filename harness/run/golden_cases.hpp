// Golden files in place of cases that are drawn: `assay verify --golden`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "golden/golden_set.hpp"
#include "harness/run/mode.hpp"
#include "harness/verify/manifest.hpp"
#include "properties/cases/case.hpp"

namespace assay::run {

/// The files of a directory.
struct GoldenSet {
  std::string directory;
  std::vector<golden::FileSummary> files;
};

/// Throws golden::FormatError as golden::read_set() does.
GoldenSet read_golden_set(const std::string& directory);

/// What of a set a kernel runs in one mode.
struct GoldenCases {
  /// A file each, and of one that is too large to be run whole some of its parts.
  std::vector<properties::Case> cases;
  /// Lines on files that are not run, or in part, and on those whose answers are another arithmetic's.
  std::vector<std::string> notes;
  /// Files that the kernel takes and that no run of this budget judges; "" where there are none. A run that
  /// leaves them out is vacuous.
  std::string unjudged;
};

/// The cases of the files that are of the kernel's operation, have dimensions that it takes and values that
/// it is asked. A file whose sizes have a product beyond that of drawn cases, times the budget, is run in
/// parts of at most that: kMostParts from end to end of it. Throws std::invalid_argument that says why there
/// are none.
///
/// Values of planned regimes (values_plan.hpp) are run in strict arithmetic alone, as those of planned cases.
GoldenCases golden_cases(const KernelEntry& entry, const GoldenSet& set, std::uint64_t budget = 1,
                         Mode mode = Mode::fast);

/// Whether there are any.
bool has_golden_cases(const KernelEntry& entry, const GoldenSet& set, std::uint64_t budget = 1,
                      Mode mode = Mode::fast);

inline constexpr std::size_t kMostParts = 8;

/// The manifest without the kernels that no file of the set is for. Throws std::invalid_argument where none
/// is left.
Manifest with_golden_cases(Manifest manifest, const GoldenSet& set);

}  // namespace assay::run
