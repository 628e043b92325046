// Several kernels side by side: while one prepares, or waits for its last mutant, the others use the cores.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/mutate/equivalents.hpp"
#include "harness/mutate/mutation_report.hpp"
#include "harness/mutate/mutation_run.hpp"

namespace assay::mutate {

/// Judges the mutants of all these kernels, each kernel in a process of its own. `step(which, done, all)` as
/// the work goes on; `finished(which, mutants)` when a kernel is done, in any order. Throws
/// std::runtime_error if such a process dies: what is judged is kept.
void mutate_kernels(const std::vector<const KernelEntry*>& entries, const MutateOptions& options,
                    const Equivalents& equivalents,
                    const std::function<void(std::size_t which, std::size_t done, std::size_t all)>& step,
                    const std::function<void(std::size_t which, KernelMutants mutants)>& finished);

/// How far a campaign has come.
struct CampaignStanding {
  std::size_t kernels = 0, of = 0;  ///< that are done, and all
  std::size_t judged = 0;           ///< mutants, by this run and earlier ones
  std::size_t resumed = 0;          ///< of these, by earlier ones
  std::size_t known = 0;            ///< mutants of the kernels that are begun
  double share = 0;     ///< of the work, 0 to 1: a kernel that is not begun counts as the mean of the others
  std::string current;  ///< "a 12/40, b 3/96": the kernels at work
};

/// Called as a campaign goes on.
struct CampaignListener {
  std::function<void(const CampaignStanding&)> step;
  std::function<void(const MutationReport&)> finished;  ///< a kernel is done; in any order
};

/// Judges the mutants of all these kernels and explains the survivors by the list, whose entries count as
/// used then. After each kernel what is known so far is written to `file`, if there is one. The reports come
/// in the order of `entries`. Throws what mutate_kernels and write_report throw.
std::vector<MutationReport> run_campaign(const std::vector<const KernelEntry*>& entries,
                                         const MutateOptions& options, Equivalents& equivalents,
                                         const std::optional<std::filesystem::path>& file,
                                         const CampaignListener& listener);

}  // namespace assay::mutate
