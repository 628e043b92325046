#include "harness/run/golden_run.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "harness/run/finding.hpp"
#include "harness/run/golden_cases.hpp"
#include "harness/run/golden_problem.hpp"
#include "harness/run/shrinking.hpp"
#include "properties/cases/coverage.hpp"
#include "properties/cases/search.hpp"

namespace assay::run {
namespace {

using properties::Case;
using properties::Given;
using properties::TrialResult;

/// "golden file sets/a.safetensors, of it M 3:4, N 0:8".
std::string file_text(const Case& test_case) {
  std::string text = "golden file " + test_case.golden;
  const char* separator = ", of it ";
  for (const auto& [dimension, range] : test_case.part) {
    text += fmt::format("{}{} {}:{}", separator, dimension, range.begin, range.end);
    separator = ", ";
  }
  return text + "\n";
}

/// One file's cases, each in a confined process.
class GoldenJudge {
 public:
  GoldenJudge(const KernelUnderTest& loaded, const KernelEntry& entry, Mode mode, Tracer& tracer,
              const process::Reporter& reporter)
      : loaded_(loaded), entry_(entry), mode_(mode), tracer_(tracer), reporter_(reporter) {}

  /// Reads the file of a case, unless it is the one that is there.
  void open(const Case& test_case) {
    if (path_ == test_case.golden) return;
    file_.reset();  // before the next is read
    file_ =
        std::make_unique<GoldenProblem>(test_case, loaded_.trial->operation(), loaded_.trial->arithmetic());
    path_ = test_case.golden;
  }

  /// Judges a case of the file that is open: `judged` makes the finding of what it came to.
  template <class Judged>
  ModeReport find(const Case& test_case, const Judged& judged) {
    const auto given = [this](const Case& one) { return file_->given(one); };
    const auto of_case = [&] {
      const double began = processor_seconds();
      const Given problem = file_->given(test_case);
      tracer_.follow(&problem.problem, properties::to_line(test_case));
      const TrialResult result = loaded_.trial->run(problem.problem, problem.expected);
      tracer_.follow(nullptr);
      return judged(problem.problem, result, processor_seconds() - began);
    };
    const auto found = [&]() -> Finding {
      try {
        return of_case();
      } catch (const properties::Unjudgeable& nothing) {
        if (unjudged_.empty()) unjudged_ = fmt::format("{}: {}", test_case.golden, nothing.what());
        return {vacuous(entry_, nothing.what())};
      }
    };
    return report_of(loaded_, reporter_, found(), given);
  }

  /// Why one of the cases could not be judged; "" where all could.
  const std::string& unjudged() const { return unjudged_; }

  Finding smallest(std::uint64_t index, const Case& test_case, const TrialResult& result, double seconds,
                   const VerifyOptions& options) const {
    const auto& trial = *loaded_.trial;
    const Shrinking shrinking{
        .run = [&](const Case& one) { return run_smaller(one); },
        .follow =
            [&](const Case& failing, const properties::Predicate& passes) {
              const auto takes = [&](const Dims& dims) { return !entry_.unmet_requirement(dims); };
              return properties::shrink(
                  trial.cases(), [&](const Case& one) { return file_->simpler(one, takes); }, failing,
                  passes);
            },
        .words = file_text};
    return smallest_of({index, test_case, result, seconds}, shrinking, loaded_, entry_, mode_, options,
                       reporter_);
  }

 private:
  // What is no problem of the operation any more, or has no right answer, is not what fails.
  TrialResult run_smaller(const Case& test_case) const {
    try {
      const Given given = file_->given(test_case);
      return loaded_.trial->run(given.problem, given.expected);
    } catch (const std::logic_error& none) {
      TrialResult passed;
      passed.outcome = {Verdict::vacuous, none.what(), {none.what()}};
      return passed;
    }
  }

  const KernelUnderTest& loaded_;
  const KernelEntry& entry_;
  Mode mode_;
  Tracer& tracer_;
  const process::Reporter& reporter_;
  std::string path_, unjudged_;
  std::unique_ptr<GoldenProblem> file_;
};

properties::Coverage coverage_of(const properties::Trial& trial, const KernelEntry& entry,
                                 const Case& test_case, const Problem& problem, bool values) {
  properties::Coverage coverage;
  trial.operation().cover(problem, coverage);
  properties::cover_shape(trial.operation().declaration(), properties::traits_of(entry).tile, test_case,
                          coverage);
  if (values) properties::cover_values(problem, coverage);
  return coverage;
}

}  // namespace

ModeReport run_golden(const KernelUnderTest& loaded, const KernelEntry& entry, Mode mode,
                      const VerifyOptions& options, Tracer& tracer, const process::Reporter& reporter) {
  const auto [cases, notes, too_large] = golden_cases(entry, *options.golden, options.budget, mode);
  GoldenJudge judge(loaded, entry, mode, tracer, reporter);
  ModeReport all;
  bool telling = false;
  for (std::uint64_t i = 0; i < cases.size(); ++i) {
    const Case& test_case = cases[i];
    reporter.send({{"type", "case"}, {"index", i}, {"of", cases.size()}});
    judge.open(test_case);
    auto report = judge.find(
        test_case, [&](const Problem& problem, const TrialResult& result, double seconds) -> Finding {
          if (result.outcome.verdict != Verdict::pass)
            return judge.smallest(i, test_case, result, seconds, options);
          ModeReport passed = result.telling
                                  ? ModeReport{}
                                  : vacuous(entry, "a kernel that writes nothing would pass this file too");
          if (result.telling) passed.verdict = Verdict::pass;
          for (const auto& one : result.evidence.comparisons) passed.errors.merge(one.shares);
          passed.coverage = coverage_of(*loaded.trial, entry, test_case, problem, options.coverage);
          return {std::move(passed)};
        });
    if (report.verdict != Verdict::pass && report.verdict != Verdict::vacuous) return report;
    telling |= report.verdict == Verdict::pass;
    all.coverage.merge(report.coverage);
    all.errors.merge(report.errors);
  }
  for (const auto* why : {&judge.unjudged(), &too_large}) {
    if (!why->empty()) return vacuous(entry, *why);
  }
  if (!telling)
    return vacuous(entry, "a kernel that writes nothing would pass all of these golden files too");
  all.verdict = Verdict::pass;
  all.cases_run = cases.size();
  return all;
}

ModeReport run_golden_case(const KernelUnderTest& loaded, const KernelEntry& entry, Mode mode,
                           const Case& test_case, Tracer& tracer, const process::Reporter& reporter) {
  GoldenJudge judge(loaded, entry, mode, tracer, reporter);
  reporter.send({{"type", "case"}, {"index", 0}, {"of", 1}});
  judge.open(test_case);
  return judge.find(test_case, [&](const Problem&, const TrialResult& result, double) {
    auto report = report_of(*loaded.trial, entry, mode, test_case, result);
    report.cases_run = 1;
    return finding_of(std::move(report), test_case, 0, file_text(test_case));
  });
}

}  // namespace assay::run
