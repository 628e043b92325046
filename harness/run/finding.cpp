#include "harness/run/finding.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "harness/device/source_text.hpp"
#include "harness/run/failure_json.hpp"
#include "harness/run/private_probe.hpp"
#include "harness/run/replay_line.hpp"
#include "harness/run/shrinking.hpp"
#include "harness/run/writer_probe.hpp"
#include "harness/verify/report.hpp"
#include "properties/cases/planted.hpp"
#include "properties/diagnosis/diagnosis.hpp"
#include "properties/large/large_problem.hpp"

namespace assay::run {

using properties::Case;

namespace {

struct IsLate {};

using GivenProblem = std::function<properties::Given(const Case&)>;

// Who stores what in the smallest case and in the one that was found.
void name_storers_of(Failure& failure, const properties::Trial& trial, const GivenProblem& given,
                     const std::function<LastWriters(const Problem&)>& writers_of) {
  const auto name = [&](std::vector<WrongOutput>& outputs, const std::string& line) {
    if (outputs.empty() || line.empty()) return;
    const Case test_case = properties::parse_line(line);
    if (properties::is_large(trial.operation().declaration(), test_case.dims)) return;
    const auto writers = writers_of(test_case.golden.empty() ? trial.operation().make_problem(test_case)
                                                             : given(test_case).problem);
    for (WrongOutput& output : outputs) {
      if (const auto found = writers.find(output.tensor); found != writers.end())
        name_storers(output, found->second);
    }
  };
  name(failure.outputs, failure.test_case);
  if (failure.shrunk) name(failure.outputs_found, failure.shrunk->found);
}

// What garbage may bring about. A race shows whatever values there are.
bool may_come_of_garbage(Verdict verdict) {
  return verdict == Verdict::wrong_result || verdict == Verdict::out_of_bounds ||
         verdict == Verdict::misaligned || verdict == Verdict::uninitialised_read ||
         verdict == Verdict::divergent_barrier || verdict == Verdict::deadlock || verdict == Verdict::crash ||
         verdict == Verdict::undefined;
}

// The smallest case of a report, where variables that are read before they have a value may be why it fails.
std::optional<Case> case_of_garbage(const KernelUnderTest& loaded, const ModeReport& report) {
  if (loaded.mode != Mode::checked || !may_come_of_garbage(report.verdict) || !report.failure) return {};
  if (report.failure->test_case.empty()) return {};
  auto test_case = properties::parse_line(report.failure->test_case);
  const bool large = properties::is_large(loaded.trial->operation().declaration(), test_case.dims);
  return !test_case.golden.empty() || large ? std::nullopt : std::optional(std::move(test_case));
}

// The report of that case again, if it comes of such variables: these first. Its cause stays what the case
// shows by itself, since that is what other cases are compared by.
std::optional<ModeReport> report_of_garbage(const KernelUnderTest& loaded, const ModeReport& report,
                                            const Case& test_case, const std::function<void()>& before_each) {
  const auto& trial = *loaded.trial;
  PrivateProbe probe(trial.entry(), loaded.device);
  const auto named = probe(trial.operation().make_problem(test_case), before_each);
  if (named.empty()) return std::nullopt;
  before_each();
  auto result = trial.run(test_case);
  auto& faults = result.evidence.report.faults;
  faults.insert(faults.begin(), named.begin(), named.end());
  for (std::size_t i = 0; i < named.size(); ++i) faults[i].moment = 0;
  result.outcome = assay::judge(result.evidence);
  auto again = report_of(trial, trial.entry(), loaded.mode, test_case, result);
  again.cases_run = report.cases_run;
  again.cause = report.cause;
  again.failure->shrunk = report.failure->shrunk;
  again.failure->outputs_found = report.failure->outputs_found;
  return again;
}

}  // namespace

std::string death_text(const KernelEntry& entry, const ModeReport& report, const Case& test_case) {
  std::string line;
  if (report.place) {
    device::remember_source(report.place->file);  // another process compiled it
    line = '\n' + assay::quote_source(*report.place);
  }
  return fmt::format("{}: {}: {}\n  case    {}\n  replay  {}\n{}", entry.name, assay::name_of(report.verdict),
                     report.summary, properties::to_line(test_case), replay_command(report.replay), line);
}

Finding finding_of(ModeReport report, const Case& test_case, std::uint64_t index, std::string ending) {
  Finding finding{std::move(report), std::nullopt, index, std::move(ending)};
  if (finding.report.verdict == Verdict::wrong_result) finding.wrong = test_case;
  return finding;
}

ModeReport report_of(const KernelUnderTest& loaded, const process::Reporter& reporter, Finding finding,
                     const std::function<properties::Given(const Case&)>& given) {
  auto report = std::move(finding.report);
  const auto& ending = finding.ending;
  // Each run that follows has the time of a case; if one does not end, what is known now is the report.
  const auto before_each = [&] {
    if (finding.until_s > 0 && processor_seconds() > finding.until_s) throw IsLate();
    reporter.send({{"type", "case"}, {"index", finding.index}});
  };
  const auto tell = [&] {
    auto undiagnosed = report;
    undiagnosed.text += ending;
    reporter.send(to_json(undiagnosed, "found"));
  };
  try {
    if (const auto test_case = case_of_garbage(loaded, report)) {
      tell();
      if (auto of_garbage = report_of_garbage(loaded, report, *test_case, before_each)) {
        of_garbage->text += ending;
        return std::move(*of_garbage);
      }
    }
    const auto& operation = loaded.trial->operation();
    if (finding.wrong && !properties::is_large(operation.declaration(), finding.wrong->dims)) {
      tell();
      const Case& test_case = *finding.wrong;
      WriterProbe writers(loaded.trial->entry(), loaded.device);
      properties::Probing probing;
      probing.before_each = [&](const Case&) { before_each(); };
      probing.given = given;
      probing.writers = [&](const Problem& asked) {
        before_each();
        return writers(asked);
      };
      auto findings = properties::diagnose(*loaded.trial, {test_case}, probing);
      if (auto remark = properties::remark_on_planned(operation.declaration(), test_case); !remark.empty())
        findings.push_back(std::move(remark));
      auto failure = report.failure.value_or(Failure{});
      failure.diagnosis = findings;
      name_storers_of(failure, *loaded.trial, given, probing.writers);
      report.text += properties::diagnosis_text(findings);
      report.failure = std::move(failure);
      if (!findings.empty()) report.conclusion = findings.front();
    }
  } catch (const IsLate&) {  // what is known by now is the report
  }
  report.text += ending;
  return report;
}

nlohmann::json to_json(const ModeReport& report, const char* type) {
  nlohmann::json message = {{"type", type},
                            {"verdict", assay::name_of(report.verdict)},
                            {"summary", report.summary},
                            {"text", report.text},
                            {"replay", report.replay},
                            {"cause", report.cause},
                            {"conclusion", report.conclusion},
                            {"cases_run", report.cases_run},
                            {"branches", report.branches},
                            {"schedules", report.schedules},
                            {"coverage", report.coverage.reached()}};
  if (report.failure) message["failure"] = to_json(*report.failure);
  message["errors"] = to_json(report.errors);
  message["claims"] = to_json(report.claims);
  if (report.place) message["place"] = {{"file", report.place->file}, {"line", report.place->line}};
  return message;
}

ModeReport report_from_json(const nlohmann::json& message) {
  ModeReport report;
  report.verdict = assay::verdict_from_name(message.at("verdict").get<std::string>());
  report.summary = message.at("summary").get<std::string>();
  report.text = message.at("text").get<std::string>();
  report.replay = message.at("replay").get<std::string>();
  report.cause = message.at("cause").get<std::string>();
  report.conclusion = message.at("conclusion").get<std::string>();
  report.cases_run = message.at("cases_run").get<std::uint64_t>();
  report.branches = message.at("branches").get<std::string>();
  report.schedules = message.at("schedules").get<std::string>();
  for (const auto& [tag, count] : message.at("coverage").get<std::map<std::string, std::uint64_t>>()) {
    report.coverage.add(tag, count);
  }
  if (const auto failure = message.find("failure"); failure != message.end())
    report.failure = failure_from(*failure);
  report.errors = shares_from(message.at("errors"));
  report.claims = claims_from(message.at("claims"));
  if (const auto place = message.find("place"); place != message.end()) {
    report.place = {place->at("file").get<std::string>(), place->at("line").get<std::uint32_t>()};
  }
  return report;
}

}  // namespace assay::run
