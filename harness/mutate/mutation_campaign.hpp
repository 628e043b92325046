// Several kernels side by side: while one prepares, or waits for its last mutant, the others use the cores.
#pragma once

#include <functional>
#include <vector>

#include "harness/mutate/mutation_run.hpp"

namespace assay::mutate {

/// Judges the mutants of all these kernels, each kernel in a process of its own. `step(which, done, all)` as
/// the work goes on; `finished(which, mutants)` when a kernel is done, in any order. Throws
/// std::runtime_error if such a process dies: what is judged is kept.
void mutate_kernels(const std::vector<const KernelEntry*>& entries, const MutateOptions& options,
                    const Equivalents& equivalents,
                    const std::function<void(std::size_t which, std::size_t done, std::size_t all)>& step,
                    const std::function<void(std::size_t which, KernelMutants mutants)>& finished);

}  // namespace assay::mutate
