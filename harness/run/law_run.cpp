#include "harness/run/law_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/run/cause.hpp"
#include "harness/run/replay_line.hpp"
#include "properties/cases/search.hpp"

namespace assay::run {

using properties::Case;
using properties::laws::Law;
using properties::laws::LawResult;

namespace {

/// A law costs two thirds of what the case costs that it is tried on: so all of them, less than a tenth of a
/// run.
constexpr std::uint64_t kEvery = 3;

}  // namespace

LawRun::LawRun(const KernelUnderTest& loaded, const KernelEntry& entry, Mode mode,
               const VerifyOptions& options, const process::Reporter& reporter)
    : loaded_(loaded),
      entry_(entry),
      mode_(mode),
      options_(options),
      reporter_(reporter),
      laws_(properties::laws::laws_of(loaded.trial->operation())),
      claims_(laws_.size()) {}

void LawRun::announce(std::uint64_t index, const std::string& law) const {
  reporter_.send({{"type", "case"}, {"index", index}, {"law", law}});
}

std::optional<ModeReport> LawRun::try_next(std::uint64_t index, const Case& test_case, const Problem& problem,
                                           const properties::TrialResult& ran) {
  if (index % kEvery != 0) return std::nullopt;
  for (std::size_t tried = 0; tried < laws_.size(); ++tried) {
    const std::size_t which = next_++ % laws_.size();
    announce(index, laws_[which].name);
    const LawResult result = check_law(laws_[which], *loaded_.trial, test_case, problem, ran);
    if (result.outcome.verdict != Verdict::pass) {
      if (counted(options_, reporter_, result.outcome.verdict, cause_of_law(laws_[which].name), test_case))
        return std::nullopt;
      return report_broken(index, test_case, laws_[which]);
    }
    claims_[which] += result.claims;
    if (result.claims > 0) break;
  }
  return std::nullopt;
}

bool LawRun::try_all(std::uint64_t index, const Case& test_case) {
  for (std::size_t which = 0; which < laws_.size(); ++which) {
    const Law& law = laws_[which];
    if (std::find(broken_.begin(), broken_.end(), law.name) != broken_.end()) continue;
    announce(index, law.name);
    const LawResult result = check_law(law, *loaded_.trial, test_case);
    claims_[which] += result.claims;
    if (result.outcome.verdict == Verdict::pass) continue;
    broken_.push_back(law.name);
    if (!first_broken_) first_broken_ = report_broken(index, test_case, law);
    if (result.outcome.verdict == Verdict::error) return false;
  }
  return true;
}

std::optional<ModeReport> LawRun::broken() const {
  if (!first_broken_ || first_broken_->verdict == Verdict::error) return first_broken_;
  ModeReport report = *first_broken_;
  std::vector<std::string> held;
  for (const Law& law : laws_) {
    if (std::find(broken_.begin(), broken_.end(), law.name) == broken_.end()) held.push_back(law.name);
  }
  report.text += fmt::format("broken  {}\nhold    {}\n", fmt::join(broken_, ", "),
                             held.empty() ? "none" : fmt::format("{}", fmt::join(held, ", ")));
  return report;
}

void LawRun::cover(properties::Coverage& coverage) const {
  for (std::size_t i = 0; i < laws_.size(); ++i) coverage.add("law " + laws_[i].name, claims_[i]);
}

bool LawRun::asked_nothing() const {
  return std::all_of(claims_.begin(), claims_.end(), [](std::uint64_t claims) { return claims == 0; });
}

ModeReport LawRun::report_broken(std::uint64_t index, const Case& test_case, const Law& law) const {
  auto found = law_report(loaded_, entry_, mode_, test_case, law);
  found.cases_run = index + 1;
  if (found.verdict == Verdict::error) return found;  // not the kernel's
  reporter_.send(to_json(found, "found"));
  const auto shrunk = properties::shrink(loaded_.trial->cases(), test_case, [&](const Case& candidate) {
    announce(index, law.name);
    return check_law(law, *loaded_.trial, candidate).outcome.verdict != found.verdict;
  });
  auto smallest = law_report(loaded_, entry_, mode_, shrunk.smallest, law);
  smallest.cases_run = index + 1;
  smallest.text += properties::FailingCase{index, test_case, shrunk}.describe_shrinking() + "\n";
  if (smallest.failure) {
    smallest.failure->shrunk = {index, properties::to_line(test_case), shrunk.steps, shrunk.attempts,
                                shrunk.exhausted};
  }
  return smallest;
}

ModeReport law_report(const KernelUnderTest& loaded, const KernelEntry& entry, Mode mode,
                      const Case& test_case, const Law& law) {
  const LawResult result = check_law(law, *loaded.trial, test_case);
  ModeReport report;
  report.verdict = result.outcome.verdict;
  report.summary = result.outcome.summary;
  if (report.verdict == Verdict::pass) return report;
  report.cause = cause_of_law(law.name);
  report.replay = replay_line(entry, mode, test_case, law.name);
  properties::TrialResult seen;
  seen.outcome = result.outcome;
  seen.evidence = result.evidence;
  report.place = place_of(seen.evidence);
  report.text = loaded.trial->report(test_case.dims, seen, replay_command(report.replay)) + result.details;
  report.failure = failure_of(seen.evidence, entry.tile);
  report.failure->test_case = properties::to_line(test_case);
  return report;
}

namespace {

class LawJudge final : public CaseJudge {
 public:
  LawJudge(const KernelUnderTest& loaded, const KernelEntry& entry, Mode mode, const VerifyOptions& options,
           const process::Reporter& reporter)
      : entry_(entry), laws_(loaded, entry, mode, options, reporter) {}

  // A law that is broken is left out from there on; the others go on.
  std::optional<Finding> judge(std::uint64_t index, const Case& test_case) override {
    if (laws_.try_all(index, test_case)) return std::nullopt;
    return Finding{*laws_.broken()};
  }

  Finding conclude(std::uint64_t count) override {
    if (auto broken = laws_.broken()) return {std::move(*broken)};
    ModeReport passed;
    passed.verdict = Verdict::pass;
    if (laws_.asked_nothing()) passed = vacuous(entry_, "no law applies to these cases");
    laws_.cover(passed.coverage);
    passed.cases_run = count;
    return {std::move(passed)};
  }

 private:
  const KernelEntry& entry_;
  LawRun laws_;
};

}  // namespace

std::unique_ptr<CaseJudge> law_judge(const KernelUnderTest& loaded, const KernelEntry& entry, Mode mode,
                                     const VerifyOptions& options, const process::Reporter& reporter) {
  return std::make_unique<LawJudge>(loaded, entry, mode, options, reporter);
}

}  // namespace assay::run
