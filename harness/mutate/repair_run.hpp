// Which single change of a kernel's text would let it pass: a search over the mutants of a wrong kernel.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "assay/default_cases.hpp"
#include "harness/mutate/source_lines.hpp"
#include "harness/verify/manifest.hpp"

namespace assay::mutate {

struct RepairOptions {
  std::uint64_t cases = run::kDefaultCases;
  std::uint64_t seed = 1;
  unsigned jobs = 2;  ///< processes at a time
};

struct Repairs {
  std::string verdict;  ///< of the kernel itself; empty where it passes, and nothing was tried
  std::string mode;     ///< the first that rejects it: "fast", "checked", "contracted", ...
  std::int64_t case_ = 0;
  std::size_t tried = 0;
  std::vector<mutate::ChangedLines> found;  ///< in the order of the text
};

/// Tries every change on the first case that the kernel fails; what passes it, on the first cases in that
/// mode; what passes these, on all cases in every mode. `step(done, all)` is called as the work goes on.
/// Throws what metal::preprocess throws, and std::runtime_error where nothing can be judged.
Repairs find_repairs(const KernelEntry& entry, const RepairOptions& options,
                     const std::function<void(std::size_t done, std::size_t all)>& step);

}  // namespace assay::mutate
