// All mutants of a kernel, several processes at a time; what is judged is kept, so that a run that was
// stopped goes on where it was.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "assay/default_cases.hpp"
#include "harness/mutate/equivalents.hpp"
#include "harness/mutate/mutant_judge.hpp"
#include "harness/verify/shard.hpp"

namespace assay::mutate {

struct MutateOptions {
  std::uint64_t cases = run::kDefaultCases;
  std::uint64_t seed = 1;    ///< of the cases, and of the sample
  std::uint64_t sample = 0;  ///< mutants of each kernel, drawn at random; 0: all
  unsigned jobs = 2;         ///< processes at a time
  bool fresh = false;        ///< judge again what an earlier run has judged
  Shard shard = {};          ///< of each kernel's mutants, those to judge
};

/// What became of one kernel's mutants.
struct KernelMutants {
  MutatedKernel kernel;               ///< without cases
  std::vector<MutantResult> results;  ///< of the mutants chosen, by index
  std::size_t chosen = 0;             ///< mutants that all shards together judge
  std::size_t open = 0;               ///< of those of this shard, the ones without a result
  std::size_t resumed = 0;            ///< of those, judged by an earlier run
  std::string error;                  ///< why not all could be judged; empty where they were
  double seconds = 0;                 ///< by the clock, other kernels beside it
  double core_seconds = 0;            ///< processor time of all processes
};

using Step = std::function<void(std::size_t done, std::size_t all)>;

/// Judges the mutants of one kernel as slots are free, those that the list explains by their first cases
/// only, and keeps what it finds. `step` is called before it begins and as it goes on.
void judge_mutants(const KernelEntry& entry, const MutateOptions& options, const Equivalents& equivalents,
                   const process::Slots& slots, const Step& step);

/// What has been kept of the mutants that the options choose.
KernelMutants read_mutants(const KernelEntry& entry, const MutateOptions& options);

}  // namespace assay::mutate
