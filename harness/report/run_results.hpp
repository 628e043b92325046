// Runs that give results: what `assay verify` and `assay mutate` do, without a word to anybody.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/mutate/mutation_campaign.hpp"
#include "harness/report/results.hpp"
#include "harness/run/plan.hpp"

namespace assay::report {

/// Verifies what is planned. `content`: whether Run::content is filled in, which results that are merged
/// need. Throws what run::verify_kernels throws.
Results verify(const run::Plan& plan, bool content, const run::Progress& progress);

/// What the mutants of are judged.
struct MutationPlan {
  std::vector<const KernelEntry*> kernels;
  bool everything = false;  ///< these are all kernels of the manifest
  mutate::MutateOptions options;
  mutate::Equivalents equivalents;
  std::optional<std::filesystem::path> file;  ///< of mutate::run_campaign
};

struct MutationRun {
  Results results;   ///< holds Mutated
  std::string rate;  ///< mutate::rate_text(): how quickly, which no results say
};

/// Judges the mutants of these kernels. Entries of the list that nothing has used are stale where all mutants
/// of all kernels were chosen: no other run has met every mutant that an entry may be for. `content` as
/// above. Throws what mutate::run_campaign throws.
MutationRun judge_mutants(MutationPlan plan, bool content, const mutate::CampaignListener& listener);

}  // namespace assay::report
