#include "harness/run/reference_judge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

#include "harness/run/cause.hpp"
#include "harness/run/law_run.hpp"
#include "harness/run/planned_cases.hpp"
#include "harness/run/schedule_run.hpp"
#include "harness/run/shrinking.hpp"
#include "harness/verify/numbers.hpp"
#include "properties/cases/coverage.hpp"
#include "properties/cases/planted.hpp"
#include "properties/cases/search.hpp"
#include "properties/cases/trial.hpp"
#include "properties/large/large_problem.hpp"
#include "properties/large/length_plan.hpp"
#include "properties/large/product_plan.hpp"
#include "properties/large/sample.hpp"
#include "properties/large/shape_cases.hpp"

namespace assay::run {
namespace {

using properties::Case;

class ReferenceJudge final : public CaseJudge {
 public:
  ReferenceJudge(const KernelUnderTest& loaded, const KernelEntry& entry, Mode mode,
                 const VerifyOptions& options, Tracer& tracer, const process::Reporter& reporter)
      : loaded_(loaded),
        entry_(entry),
        mode_(mode),
        options_(options),
        tracer_(tracer),
        reporter_(reporter),
        laws_(loaded, entry, mode, options, reporter),
        schedules_(loaded, entry, mode, options, reporter) {}

  std::optional<Finding> judge(std::uint64_t index, const Case& test_case) override {
    const auto& trial = *loaded_.trial;
    began_ = processor_seconds();
    if (properties::is_large(trial.operation().declaration(), test_case.dims))
      return judge_large(index, test_case);
    const auto problem = trial.operation().make_problem(test_case);
    tracer_.follow(&problem, properties::to_line(test_case));
    const auto result = trial.run(problem);
    tracer_.follow(nullptr);
    if (result.outcome.verdict == Verdict::vacuous) return note_unjudged(result);
    telling_ |= result.telling;
    cover(problem, test_case);
    if (result.outcome.verdict != Verdict::pass) {
      const auto cause = cause_of(result.outcome.verdict, result.evidence);
      if (counted(options_, reporter_, result.outcome.verdict, cause, test_case)) return std::nullopt;
      return rejected(index, test_case, result);
    }
    const bool drawn = properties::find_planned(trial.operation().declaration(), test_case.regime) == nullptr;
    for (const auto& comparison : result.evidence.comparisons) errors_.merge(comparison.shares);
    if (mode_ != Mode::fast || !drawn) return std::nullopt;
    if (auto broken = laws_.try_next(index, test_case, problem, result)) return Finding{std::move(*broken)};
    return std::nullopt;
  }

  Finding conclude(std::uint64_t count) override {
    Finding passed;
    if (!options_.schedules.all) passed.report = all_judged(count);
    if (options_.schedules.all) passed.report.verdict = Verdict::pass;
    if (passed.report.verdict == Verdict::pass) {
      if (auto found = schedules_.run(count)) return std::move(*found);
    }
    passed.report.schedules = schedules_.text();
    if (options_.schedules.all && schedules_.schedules() == 0)
      passed.report =
          vacuous(entry_, "no schedules were explored, since no small problem has two to four threadgroups");
    passed.report.cases_run = options_.schedules.all ? schedules_.schedules() : count;
    if (mode_ == Mode::fast) laws_.cover(coverage_);
    passed.report.coverage = std::move(coverage_);
    passed.report.errors = errors_;
    return passed;
  }

 private:
  std::optional<Finding> note_unjudged(const properties::TrialResult& result) {
    unjudged_ = true;
    if (entry_.stated) coverage_.add("not judged: " + result.outcome.summary);
    return std::nullopt;
  }

  // Of an operation that a manifest states all tags are those of cases that were run: where one of these
  // could not be judged, there is nothing that anybody could do about it, unless the manifest names its
  // shape.
  std::vector<std::string> missing_of(const std::vector<std::string>& wanted) const {
    auto missing = coverage_.missing(wanted);
    if (entry_.stated && unjudged_)
      std::erase_if(missing, [](const std::string& tag) { return !tag.starts_with("shape "); });
    return missing;
  }

  void cover(const Problem& problem, const Case& test_case) {
    const auto& operation = loaded_.trial->operation();
    operation.cover(problem, coverage_);
    properties::cover_widths(problem, coverage_);
    cover_sizes(test_case);
    properties::cover_planned(operation.declaration(), test_case, coverage_);
    if (options_.coverage) properties::cover_values(problem, coverage_);
  }

  void cover_sizes(const Case& test_case) {
    properties::cover_shape(loaded_.trial->operation().declaration(), properties::traits_of(entry_).tile,
                            test_case, coverage_);
    properties::cover_lengths(loaded_.trial->operation().declaration(), test_case.dims, coverage_);
    properties::cover_products(loaded_.trial->operation().declaration(), test_case.dims, coverage_);
    for (const auto& tag : properties::shape_tags(entry_, test_case.dims)) coverage_.add(tag);
  }

  std::optional<Finding> judge_large(std::uint64_t index, const Case& test_case) {
    const auto result = loaded_.trial->run(test_case);
    if (result.outcome.verdict == Verdict::vacuous) return note_unjudged(result);
    telling_ |= result.telling;
    cover_sizes(test_case);
    coverage_.merge(result.coverage);
    if (result.outcome.verdict == Verdict::pass) {
      for (const auto& comparison : result.evidence.comparisons) errors_.merge(comparison.shares);
      return std::nullopt;
    }
    const auto cause = cause_of(result.outcome.verdict, result.evidence);
    if (counted(options_, reporter_, result.outcome.verdict, cause, test_case)) return std::nullopt;
    return rejected(index, test_case, result);
  }

  Finding rejected(std::uint64_t index, const Case& test_case, const properties::TrialResult& result) {
    const auto& trial = *loaded_.trial;
    const Shrinking shrinking{.run = [&](const Case& one) { return trial.run(one); },
                              .follow =
                                  [&](const Case& failing, const properties::Predicate& passes) {
                                    return properties::is_large(trial.operation().declaration(), failing.dims)
                                               ? properties::shrink_sizes_first(trial.cases(), failing,
                                                                                passes,
                                                                                {options_.tries_of_large})
                                               : properties::shrink(trial.cases(), failing, passes);
                                  }};
    return smallest_of({index, test_case, result, processor_seconds() - began_}, shrinking, loaded_, entry_,
                       mode_, options_, reporter_);
  }

  // What to do about tags that were missed.
  static std::string remedy(const PlannedCases& planned, const std::vector<std::string>& missing) {
    for (const auto& tag : missing) {
      const auto dear = planned.dear.find(tag);
      if (dear == planned.dear.end()) continue;
      const auto& [name, size] = dear->second;
      return fmt::format(
          "{} takes {} = {}, for which no run has the time: say in requires how large {} may be "
          "({}_max), or let another size grow further",
          missing.size() > 1 ? tag : "that", name, grouped(size), name, name);
    }
    return "run more with --cases";
  }

  ModeReport all_judged(std::uint64_t count) const {
    const auto& trial = *loaded_.trial;
    if (!telling_) return vacuous(entry_, "a kernel that writes nothing would pass all of these cases too");
    auto wanted = properties::reachable(trial.operation().wanted_coverage(), properties::traits_of(entry_));
    const auto planned = planned_cases(entry_, mode_, options_);
    wanted.insert(wanted.end(), planned.wanted.begin(), planned.wanted.end());
    const auto missing = missing_of(wanted);
    const bool all = options_.enough_s == 0 || count >= options_.cases_of(mode_) + planned.cases.size();
    if (!missing.empty() && count >= options_.cases && all && !options_.shapes.asked()) {
      return vacuous(
          entry_,
          fmt::format("{} cases did not reach: {}{}; {}", grouped(count),
                      fmt::join(missing.begin(),
                                missing.begin() + std::min<std::ptrdiff_t>(3, std::ssize(missing)), ", "),
                      missing.size() > 3 ? fmt::format(" and {} more", missing.size() - 3) : "",
                      remedy(planned, missing)));
    }
    ModeReport passed;
    passed.verdict = Verdict::pass;
    return passed;
  }

  const KernelUnderTest& loaded_;
  const KernelEntry& entry_;
  Mode mode_;
  const VerifyOptions& options_;
  Tracer& tracer_;
  const process::Reporter& reporter_;
  LawRun laws_;
  ScheduleRun schedules_;
  properties::Coverage coverage_;
  ErrorShares errors_;
  bool telling_ = false;
  bool unjudged_ = false;  ///< nothing could be said of a case
  double began_ = 0;       ///< the case that is judged, in processor time
};

}  // namespace

std::unique_ptr<CaseJudge> reference_judge(const KernelUnderTest& loaded, const KernelEntry& entry, Mode mode,
                                           const VerifyOptions& options, Tracer& tracer,
                                           const process::Reporter& reporter) {
  return std::make_unique<ReferenceJudge>(loaded, entry, mode, options, tracer, reporter);
}

}  // namespace assay::run
