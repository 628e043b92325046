#include "harness/report/run_results.hpp"

#include <chrono>

#include "harness/report/collect.hpp"

namespace assay::report {
namespace {

constexpr double kPreprocessing_s = 60;  // of a kernel whose mutants are judged

// How long it takes by the clock.
template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Results verify(const run::Plan& plan, bool content, const run::Progress& progress) {
  const auto& [kernels, options, left_out] = plan;
  Results results;
  results.shard = options.shard;
  results.run = run_of(options, kernels, content ? content_of(kernels, options.jobs, options.timeout_s) : "");
  if (content && options.golden) results.run.content = content_of(*options.golden, results.run.content);
  std::vector<run::KernelReport> reports;
  results.seconds = seconds_of([&] { reports = run::verify_kernels(plan.kernels, plan.options, progress); });
  results.found = verified_of(reports);
  return results;
}

MutationRun judge_mutants(MutationPlan plan, bool content, const mutate::CampaignListener& listener) {
  const auto& options = plan.options;
  Results results;
  results.shard = options.shard;
  results.run =
      run_of(options, plan.kernels, content ? content_of(plan.kernels, options.jobs, kPreprocessing_s) : "");
  std::vector<mutate::MutationReport> reports;
  results.seconds = seconds_of(
      [&] { reports = mutate::run_campaign(plan.kernels, options, plan.equivalents, plan.file, listener); });
  const bool met_all = plan.everything && options.sample == 0;
  results.found = mutated_of(reports, met_all ? plan.equivalents.stale() : std::vector<std::string>());
  const auto rate = mutate::rate_text(reports, results.seconds);
  return {std::move(results), rate};
}

}  // namespace assay::report
