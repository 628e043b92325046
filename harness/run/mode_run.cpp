#include "harness/run/mode_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <memory>

#include "harness/metal/module.hpp"
#include "harness/profile/profiler.hpp"
#include "harness/run/branches.hpp"
#include "harness/run/exhaustive_run.hpp"
#include "harness/run/kernel_under_test.hpp"
#include "harness/run/law_run.hpp"
#include "harness/run/storer_probe.hpp"
#include "harness/run/tracer.hpp"
#include "properties/coverage.hpp"
#include "properties/diagnosis.hpp"
#include "properties/search.hpp"
#include "properties/trial.hpp"

namespace assay::run {
namespace {

using properties::Case;
using verify::Verdict;

// A value of a replay line: quoted where it holds what would end it.
std::string quoted(const std::string& value) {
  if (value.find_first_of(" \"\\") == std::string::npos) return value;
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

device::LaunchObserver observer_of(const Tracer& tracer, bool trace) {
  if (!trace) return {};
  return [&tracer](const device::LaunchSnapshot& snapshot) { tracer(snapshot); };
}

// A kernel that cannot be compiled is for load_kernel() to report.
bool same_as_strict(const verify::KernelEntry& entry, Numerics numerics) {
  try {
    return metal::same_code(entry.kernel_source(), Numerics::strict, numerics);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

std::string replay_line(const verify::KernelEntry& entry, Way way, const Case& problem,
                        const std::string& law) {
  const auto numerics = way.numerics == Numerics::strict
                            ? std::string()
                            : fmt::format(" numerics={}", metal::name_of(way.numerics));
  return fmt::format("kernel={} manifest={} mode={}{}{} {}", quoted(entry.name),
                     quoted(entry.manifest.string()), name_of(way.mode), numerics,
                     law.empty() ? "" : " law=" + law, properties::to_line(problem));
}

Case case_number(const verify::KernelEntry& entry, const VerifyOptions& options, std::uint64_t index) {
  const auto& operation = properties::find_operation(entry.operation);
  if (options.exhaustive) return exhaustive_plan(entry, *options.exhaustive).at(index);
  return properties::case_at(operation.cases(properties::traits_of(entry)), options.seed, index);
}

std::string death_text(const verify::KernelEntry& entry, const ModeReport& report, const Case& problem) {
  return fmt::format("{}: {}: {}\n  case    {}\n  replay  {}\n", entry.name, verify::name_of(report.verdict),
                     report.summary, properties::to_line(problem), replay_command(report.replay));
}

Finding finding_of(ModeReport report, const Case& problem, std::uint64_t index, std::string ending) {
  Finding finding{std::move(report), std::nullopt, index, std::move(ending)};
  if (finding.report.verdict == Verdict::wrong_result) finding.wrong = problem;
  return finding;
}

ModeReport find_confined(const KernelUnderTest& loaded, const process::Reporter& reporter,
                         const std::function<Finding()>& find) {
  const auto message = process::run_confined(reporter, [&] {
    const Finding finding = find();
    auto json = to_json(finding.report, "finding");
    json["wrong"] = finding.wrong ? properties::to_line(*finding.wrong) : "";
    json["index"] = finding.index;
    json["ending"] = finding.ending;
    return json;
  });
  auto report = report_from_json(message);
  const auto wrong = message.at("wrong").get<std::string>(), ending = message.at("ending").get<std::string>();
  if (!wrong.empty()) {
    auto undiagnosed = report;
    undiagnosed.text += ending;
    reporter.send(to_json(undiagnosed, "found"));
    const Case problem = properties::parse_line(wrong);
    StorerProbe storers(loaded.trial->entry());
    report.text +=
        process::run_confined(reporter, [&] {
          std::uint64_t schedule = 0;
          properties::Probing probing;
          probing.before_each = [&](const Case& probe) {
            reporter.send({{"type", "case"}, {"index", message.at("index")}});
            loaded.benches->set_schedule(probe);
            schedule = probe.seed;
          };
          probing.storers = [&](const verify::Problem& asked) { return storers(asked, schedule); };
          return properties::diagnosis_text(properties::diagnose(*loaded.trial, {problem}, probing));
        }).get<std::string>();
  }
  report.text += ending;
  return report;
}

namespace {

// All cases of a run, in the confined process.
class CaseLoop {
 public:
  CaseLoop(const KernelUnderTest& loaded, const verify::KernelEntry& entry, Way way,
           const VerifyOptions& options, Tracer& tracer, const process::Reporter& reporter)
      : loaded_(loaded), entry_(entry), way_(way), options_(options), tracer_(tracer), reporter_(reporter) {}

  Finding run() {
    const auto& trial = *loaded_.trial;
    const auto cases = trial.cases();
    LawRun laws(loaded_, entry_, way_, options_, reporter_);
    const std::uint64_t count = options_.cases_of(way_);
    for (std::uint64_t i = 0; i < count; ++i) {
      reporter_.send({{"type", "case"}, {"index", i}, {"of", count}});
      const Case problem = properties::case_at(cases, options_.seed, i);
      const auto made = trial.operation().make_problem(problem);
      loaded_.benches->set_schedule(problem);
      tracer_.follow(&made, properties::to_line(problem));
      const auto result = trial.run(made);
      tracer_.follow(nullptr);
      if (result.outcome.verdict == Verdict::vacuous) continue;
      telling_ |= result.telling;
      cover(made, problem);
      if (result.outcome.verdict != Verdict::pass) return rejected(i, problem, result);
      if (way_ != Way{}) continue;
      if (auto broken = laws.try_next(i, problem, made, result)) return {std::move(*broken)};
    }
    Finding passed;
    passed.report = all_judged(count);
    passed.report.cases_run = count;
    if (way_ == Way{}) laws.cover(coverage_);
    passed.report.coverage = std::move(coverage_);
    return passed;
  }

 private:
  void cover(const verify::Problem& made, const Case& problem) {
    const auto& operation = loaded_.trial->operation();
    operation.cover(made, coverage_);
    properties::cover_shape(operation.declaration(), properties::traits_of(entry_).tile, problem, coverage_);
    if (options_.coverage) properties::cover_values(made, coverage_);
  }

  Finding rejected(std::uint64_t i, const Case& problem, const properties::TrialResult& result) {
    const auto& trial = *loaded_.trial;
    auto found = report_of(trial, entry_, way_, problem, result);
    found.cases_run = i + 1;
    if (found.verdict == Verdict::error) return {std::move(found)};  // not the kernel's
    reporter_.send(to_json(found, "found"));
    const Verdict verdict = result.outcome.verdict;
    const auto shrunk = properties::shrink(trial.cases(), options_.seed, i, [&](const Case& simpler) {
      reporter_.send({{"type", "case"}, {"index", i}});
      loaded_.benches->set_schedule(simpler);
      return trial.run(simpler).outcome.verdict != verdict;
    });
    loaded_.benches->set_schedule(shrunk.smallest);
    auto smallest = report_of(trial, entry_, way_, shrunk.smallest, trial.run(shrunk.smallest));
    smallest.cases_run = i + 1;
    return finding_of(std::move(smallest), shrunk.smallest, i,
                      properties::Failure{i, problem, shrunk}.describe_shrinking() + "\n");
  }

  ModeReport all_judged(std::uint64_t count) const {
    const auto& trial = *loaded_.trial;
    if (!telling_) return vacuous(entry_, "no case could have told this kernel from one that writes nothing");
    const auto missing = coverage_.missing(
        properties::reachable(trial.operation().wanted_coverage(), properties::traits_of(entry_)));
    if (!missing.empty() && count == options_.cases) {
      return vacuous(
          entry_,
          fmt::format("{} cases did not reach: {}{}; ask for more with --cases", count,
                      fmt::join(missing.begin(),
                                missing.begin() + std::min<std::ptrdiff_t>(3, std::ssize(missing)), ", "),
                      missing.size() > 3 ? fmt::format(" and {} more", missing.size() - 3) : ""));
    }
    ModeReport passed;
    passed.verdict = Verdict::pass;
    return passed;
  }

  const KernelUnderTest& loaded_;
  const verify::KernelEntry& entry_;
  Way way_;
  const VerifyOptions& options_;
  Tracer& tracer_;
  const process::Reporter& reporter_;
  properties::Coverage coverage_;
  bool telling_ = false;
};

}  // namespace

void run_mode(const verify::KernelEntry& entry, Way way, const VerifyOptions& options,
              const process::Reporter& reporter) {
  if (way.numerics != Numerics::strict && options.covers(Way{}) && same_as_strict(entry, way.numerics)) {
    return reporter.send({{"type", "same"}});
  }
  if (options.exhaustive) return run_exhaustive(entry, way, options, reporter);
  if (options.laws_alone) return run_laws(entry, way, options, reporter);
  Tracer tracer(entry, way, reporter);
  const KernelUnderTest loaded = load_kernel(entry, way, observer_of(tracer, options.trace));
  if (loaded.refused) return reporter.send(to_json(*loaded.refused, "result"));
  auto report = find_confined(loaded, reporter,
                              [&] { return CaseLoop(loaded, entry, way, options, tracer, reporter).run(); });
  if (report.verdict == Verdict::pass && way == options.counts() && !entry.claims.empty()) {
    report.text = profile::claims_text(entry, profile::profile_confined(entry, {}, reporter));
    if (!report.text.empty()) {
      report.verdict = Verdict::claim_differs;
      report.summary = "the manifest claims what is not so";
    }
  }
  if (options.coverage && way == options.ways.front()) {
    report.branches = branches_text(entry, options, reporter);
  }
  reporter.send(to_json(report, "result"));
}

void run_case(const verify::KernelEntry& entry, Way way, const Case& problem, const std::string& law,
              bool trace, const process::Reporter& reporter) {
  Tracer tracer(entry, way, reporter);
  const KernelUnderTest loaded = load_kernel(entry, way, observer_of(tracer, trace));
  if (loaded.refused) return reporter.send(to_json(*loaded.refused, "result"));
  reporter.send({{"type", "case"}, {"index", 0}});
  const auto report = find_confined(loaded, reporter, [&]() -> Finding {
    if (!law.empty()) {
      const auto found = properties::laws::find_law(loaded.trial->operation(), law);
      return {law_report(loaded, entry, way, problem, found)};
    }
    loaded.benches->set_schedule(problem);
    const auto made = loaded.trial->operation().make_problem(problem);
    tracer.follow(&made, properties::to_line(problem));
    auto judged = report_of(*loaded.trial, entry, way, problem, loaded.trial->run(made));
    tracer.follow(nullptr);
    judged.cases_run = 1;
    return finding_of(std::move(judged), problem, 0);
  });
  reporter.send(to_json(report, "result"));
}

nlohmann::json to_json(const ModeReport& report, const char* type) {
  return {{"type", type},
          {"verdict", verify::name_of(report.verdict)},
          {"summary", report.summary},
          {"text", report.text},
          {"replay", report.replay},
          {"cases_run", report.cases_run},
          {"branches", report.branches},
          {"coverage", report.coverage.reached()}};
}

ModeReport report_from_json(const nlohmann::json& message) {
  ModeReport report;
  report.verdict = verify::verdict_from_name(message.at("verdict").get<std::string>());
  report.summary = message.at("summary").get<std::string>();
  report.text = message.at("text").get<std::string>();
  report.replay = message.at("replay").get<std::string>();
  report.cases_run = message.at("cases_run").get<std::uint64_t>();
  report.branches = message.at("branches").get<std::string>();
  for (const auto& [tag, count] : message.at("coverage").get<std::map<std::string, std::uint64_t>>()) {
    report.coverage.add(tag, count);
  }
  return report;
}

}  // namespace assay::run
