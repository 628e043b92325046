#include "harness/run/exhaustive_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

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

class ExhaustiveJudge final : public CaseJudge {
 public:
  ExhaustiveJudge(const KernelUnderTest& loaded, const verify::KernelEntry& entry, Way way,
                  properties::ExhaustivePlan plan)
      : loaded_(loaded),
        entry_(entry),
        way_(way),
        plan_(std::move(plan)),
        coverage_(loaded.trial->operation()) {}

  // Of the words, the first and those that fail are judged as any other case.
  std::optional<Finding> judge(std::uint64_t index, const Case& problem) override {
    const auto& trial = *loaded_.trial;
    if (index > plan_.first_of_words()) {
      if (!sweep_) sweep_.emplace(trial.operation(), entry_.arithmetic, problem);
      const auto ran = trial.outputs(sweep_->problem(static_cast<std::uint64_t>(problem.knobs.at("word"))));
      if (ran.report.faults.empty() && ran.changed_inputs.empty() && sweep_->right(ran.outputs.front()))
        return std::nullopt;
    }
    const auto made = trial.operation().make_problem(problem);
    const auto result = trial.run(made);
    if (result.outcome.verdict != Verdict::pass)
      return failure_of(loaded_, entry_, way_, index, problem, result);
    if (sweep_)
      throw std::logic_error("a sweep of words and the reference do not agree on " + to_line(problem));
    coverage_.add(problem, made, entry_.arithmetic);
    return std::nullopt;
  }

  Finding conclude(std::uint64_t count) override {
    const auto missing = coverage_.missing();
    ModeReport report;
    report.verdict = Verdict::pass;
    if (!missing.empty()) {
      report = vacuous(entry_, fmt::format("its requirements leave out {}", fmt::join(missing, ", ")));
    }
    report.cases_run = count;
    return {std::move(report)};
  }

 private:
  const KernelUnderTest& loaded_;
  const verify::KernelEntry& entry_;
  Way way_;
  properties::ExhaustivePlan plan_;
  properties::ExhaustiveCoverage coverage_;
  std::optional<properties::WordSweep> sweep_;
};

}  // namespace

properties::ExhaustivePlan exhaustive_plan(const verify::KernelEntry& entry, properties::WordRange words) {
  return {properties::find_operation(entry.operation), properties::traits_of(entry), words};
}

std::unique_ptr<CaseJudge> exhaustive_judge(const KernelUnderTest& loaded, const verify::KernelEntry& entry,
                                            Way way, const VerifyOptions& options) {
  return std::make_unique<ExhaustiveJudge>(loaded, entry, way, exhaustive_plan(entry, *options.exhaustive));
}

}  // namespace assay::run
