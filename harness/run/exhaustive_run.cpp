#include "harness/run/exhaustive_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "harness/run/kernel_under_test.hpp"
#include "harness/run/mode_run.hpp"

namespace assay::run {
namespace {

using properties::Case;
using verify::Verdict;

/// A case that failed, on its first wrong column alone where that fails too.
Finding failure_of(const KernelUnderTest& loaded, const verify::KernelEntry& entry, Way way,
                   std::uint64_t index, const Case& problem, const properties::TrialResult& result) {
  const auto& trial = *loaded.trial;
  const auto finding = [&](const Case& failed, const properties::TrialResult& seen) {
    auto report = report_of(trial, entry, way, failed, seen);
    report.cases_run = index + 1;
    return finding_of(std::move(report), failed, index);
  };
  for (const auto& comparison : result.evidence.comparisons) {
    if (comparison.right()) continue;
    const auto& wrong = comparison.wrong.front();
    const Case narrow = properties::narrowed(problem, wrong.row, wrong.column);
    const auto again = trial.run(narrow);
    if (again.outcome.verdict == result.outcome.verdict) return finding(narrow, again);
  }
  return finding(problem, result);
}

// In the confined process.
Finding sweep_cases(const KernelUnderTest& loaded, const verify::KernelEntry& entry, Way way,
                    const properties::ExhaustivePlan& plan, const process::Reporter& reporter) {
  const auto& trial = *loaded.trial;
  properties::ExhaustiveCoverage coverage(trial.operation());
  std::optional<properties::WordSweep> sweep;
  const std::uint64_t count = way.numerics == Numerics::strict ? plan.size() : plan.first_of_words();
  for (std::uint64_t i = 0; i < count; ++i) {
    reporter.send({{"type", "case"}, {"index", i}, {"of", count}});
    const Case problem = plan.at(i);
    loaded.benches->set_schedule(problem);
    bool whole =
        true;  // whether the case is judged as any other: of the words, the first and those that fail
    if (i > plan.first_of_words()) {
      if (!sweep) sweep.emplace(trial.operation(), entry.arithmetic, problem);
      const auto run = trial.outputs(sweep->problem(static_cast<std::uint64_t>(problem.knobs.at("word"))));
      whole = !run.report.faults.empty() || !run.changed_inputs.empty() || !sweep->right(run.outputs.front());
    }
    if (!whole) continue;
    const auto made = trial.operation().make_problem(problem);
    const auto result = trial.run(made);
    if (result.outcome.verdict != Verdict::pass) {
      return failure_of(loaded, entry, way, i, problem, result);
    }
    if (sweep)
      throw std::logic_error("a sweep of words and the reference do not agree on " + to_line(problem));
    coverage.add(problem, made, entry.arithmetic);
  }
  const auto missing = coverage.missing();
  ModeReport report;
  report.verdict = Verdict::pass;
  if (!missing.empty()) {
    report = vacuous(entry, fmt::format("its requirements leave out {}", fmt::join(missing, ", ")));
  }
  report.cases_run = count;
  return {std::move(report)};
}

}  // namespace

properties::ExhaustivePlan exhaustive_plan(const verify::KernelEntry& entry, properties::WordRange words) {
  return {properties::find_operation(entry.operation), properties::traits_of(entry), words};
}

void run_exhaustive(const verify::KernelEntry& entry, Way way, const VerifyOptions& options,
                    const process::Reporter& reporter) {
  const auto plan = exhaustive_plan(entry, *options.exhaustive);
  const KernelUnderTest loaded = load_kernel(entry, way, {}, options.threads);
  if (loaded.refused) return reporter.send(to_json(*loaded.refused, "result"));
  const auto report =
      find_confined(loaded, reporter, [&] { return sweep_cases(loaded, entry, way, plan, reporter); });
  reporter.send(to_json(report, "result"));
}

}  // namespace assay::run
