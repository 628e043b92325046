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

/// A case that failed, on its first wrong column alone where that fails too.
Finding failure_of(const KernelUnderTest& loaded, const KernelEntry& entry, Mode mode,
                   const properties::ExhaustiveRun& run, std::uint64_t index, const Case& test_case,
                   const properties::TrialResult& result) {
  const auto& trial = *loaded.trial;
  const auto finding = [&](const Case& failed, const properties::TrialResult& seen) {
    auto report = report_of(trial, entry, mode, failed, seen);
    report.cases_run = index + 1;
    return finding_of(std::move(report), failed, index);
  };
  for (const auto& comparison : result.evidence.comparisons) {
    if (comparison.right()) continue;
    const auto& wrong = comparison.wrong.front();
    const Case narrow = run.narrowed(test_case, wrong.row, wrong.column);
    const auto again = trial.run(narrow);
    if (again.outcome.verdict == result.outcome.verdict) return finding(narrow, again);
  }
  return finding(test_case, result);
}

class ExhaustiveJudge final : public CaseJudge {
 public:
  ExhaustiveJudge(const KernelUnderTest& loaded, const KernelEntry& entry, Mode mode,
                  std::unique_ptr<properties::ExhaustiveRun> run)
      : loaded_(loaded), entry_(entry), mode_(mode), run_(std::move(run)) {}

  // Of the words, the first and those that fail are judged as any other case.
  std::optional<Finding> judge(std::uint64_t index, const Case& test_case) override {
    const auto& trial = *loaded_.trial;
    if (index > run_->first_swept()) {
      if (!sweep_) sweep_ = run_->sweep(trial.arithmetic());
      const auto ran = trial.outputs(sweep_->problem(test_case));
      if (ran.report.faults.empty() && ran.changed_inputs.empty() && sweep_->right(ran.outputs.front()))
        return std::nullopt;
    }
    const auto problem = trial.operation().make_problem(test_case);
    const auto result = trial.run(problem);
    if (result.outcome.verdict != Verdict::pass)
      return failure_of(loaded_, entry_, mode_, *run_, index, test_case, result);
    if (sweep_)
      throw std::logic_error("a sweep of words and the reference do not agree on " + to_line(test_case));
    run_->cover(test_case, problem, trial.arithmetic());
    return std::nullopt;
  }

  Finding conclude(std::uint64_t count) override {
    const auto missing = run_->missing();
    ModeReport report;
    report.verdict = Verdict::pass;
    if (!missing.empty()) {
      report = vacuous(entry_, fmt::format("the kernel's requirements exclude {}", fmt::join(missing, ", ")));
    }
    report.cases_run = count;
    return {std::move(report)};
  }

 private:
  const KernelUnderTest& loaded_;
  const KernelEntry& entry_;
  Mode mode_;
  std::unique_ptr<properties::ExhaustiveRun> run_;
  std::unique_ptr<properties::Sweep> sweep_;
};

}  // namespace

std::unique_ptr<properties::ExhaustiveRun> exhaustive_cases(const KernelEntry& entry,
                                                            properties::WordRange words) {
  return properties::operation_of(entry).exhaustive(properties::traits_of(entry), words);
}

std::unique_ptr<CaseJudge> exhaustive_judge(const KernelUnderTest& loaded, const KernelEntry& entry,
                                            Mode mode, const VerifyOptions& options) {
  return std::make_unique<ExhaustiveJudge>(loaded, entry, mode, exhaustive_cases(entry, *options.exhaustive));
}

}  // namespace assay::run
