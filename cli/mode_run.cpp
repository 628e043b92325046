#include "cli/mode_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <memory>

#include "cli/branches.hpp"
#include "cli/exhaustive_run.hpp"
#include "cli/law_run.hpp"
#include "cli/loaded.hpp"
#include "cli/profiler.hpp"
#include "cli/storers.hpp"
#include "cli/tracer.hpp"
#include "harness/metal/module.hpp"
#include "properties/coverage.hpp"
#include "properties/diagnosis.hpp"
#include "properties/search.hpp"
#include "properties/trial.hpp"

namespace assay::cli {
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

// A kernel that cannot be compiled is for load() to report.
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

void finish(ModeReport& report, const Loaded& loaded, const Case& problem, std::uint64_t index,
            const std::string& ending, const Reporter& reporter) {
  if (report.verdict == Verdict::wrong_result) {
    auto undiagnosed = report;
    undiagnosed.text += ending;
    reporter.send(to_json(undiagnosed, "found"));
    StorerProbe storers(loaded.trial->entry());
    std::uint64_t schedule = 0;
    properties::Probing probing;
    probing.before_each = [&](const Case& probe) {
      reporter.send({{"type", "case"}, {"index", index}});
      loaded.benches->set_schedule(probe);
      schedule = probe.seed;
    };
    probing.storers = [&](const verify::Problem& asked) { return storers(asked, schedule); };
    report.text += properties::diagnosis_text(properties::diagnose(*loaded.trial, {problem}, probing));
  }
  report.text += ending;
}

void run_mode(const verify::KernelEntry& entry, Way way, const VerifyOptions& options,
              const Reporter& reporter) {
  if (way.numerics != Numerics::strict && options.covers(Way{}) && same_as_strict(entry, way.numerics)) {
    return reporter.send({{"type", "same"}});
  }
  if (options.exhaustive) return run_exhaustive(entry, way, options, reporter);
  if (options.laws_alone) return run_laws(entry, way, options, reporter);
  Tracer tracer(entry, way, reporter);
  const Loaded loaded = load(entry, way, observer_of(tracer, options.trace));
  if (loaded.refused) return reporter.send(to_json(*loaded.refused, "result"));
  const auto& trial = *loaded.trial;
  const auto cases = trial.cases();
  LawRun laws(loaded, entry, way, options, reporter);
  properties::Coverage coverage;
  bool telling = false;
  const std::uint64_t count = options.cases_of(way);
  for (std::uint64_t i = 0; i < count; ++i) {
    reporter.send({{"type", "case"}, {"index", i}, {"of", count}});
    const Case problem = properties::case_at(cases, options.seed, i);
    const auto made = trial.operation().make_problem(problem);
    loaded.benches->set_schedule(problem);
    tracer.follow(&made, properties::to_line(problem));
    const auto result = trial.run(made);
    tracer.follow(nullptr);
    if (result.outcome.verdict == Verdict::vacuous) continue;
    telling |= result.telling;
    trial.operation().cover(made, coverage);
    properties::cover_shape(trial.operation().declaration(), properties::traits_of(entry).tile, problem,
                            coverage);
    if (options.coverage) properties::cover_values(made, coverage);
    if (result.outcome.verdict == Verdict::pass) {
      if (way != Way{}) continue;
      if (const auto broken = laws.try_next(i, problem, made, result)) {
        return reporter.send(to_json(*broken, "result"));
      }
      continue;
    }

    auto found = report_of(trial, entry, way, problem, result);
    found.cases_run = i + 1;
    if (found.verdict == Verdict::error) return reporter.send(to_json(found, "result"));  // not the kernel's
    reporter.send(to_json(found, "found"));
    const Verdict verdict = result.outcome.verdict;
    const auto shrunk = properties::shrink(cases, options.seed, i, [&](const Case& simpler) {
      reporter.send({{"type", "case"}, {"index", i}});
      loaded.benches->set_schedule(simpler);
      return trial.run(simpler).outcome.verdict != verdict;
    });
    loaded.benches->set_schedule(shrunk.smallest);
    auto smallest = report_of(trial, entry, way, shrunk.smallest, trial.run(shrunk.smallest));
    smallest.cases_run = i + 1;
    finish(smallest, loaded, shrunk.smallest, i,
           properties::Failure{i, problem, shrunk}.describe_shrinking() + "\n", reporter);
    return reporter.send(to_json(smallest, "result"));
  }
  ModeReport passed;
  passed.verdict = Verdict::pass;
  const auto missing = coverage.missing(
      properties::reachable(trial.operation().wanted_coverage(), properties::traits_of(entry)));
  if (!telling) {
    passed = vacuous(entry, "no case could have told this kernel from one that writes nothing");
  } else if (!missing.empty() && count == options.cases) {
    passed = vacuous(
        entry,
        fmt::format("{} cases did not reach: {}{}; ask for more with --cases", count,
                    fmt::join(missing.begin(),
                              missing.begin() + std::min<std::ptrdiff_t>(3, std::ssize(missing)), ", "),
                    missing.size() > 3 ? fmt::format(" and {} more", missing.size() - 3) : ""));
  }
  if (passed.verdict == Verdict::pass && way == options.counts() && !entry.claims.empty()) {
    passed.text = claims_text(entry, profile(entry));
    if (!passed.text.empty()) {
      passed.verdict = Verdict::claim_differs;
      passed.summary = "the manifest claims what is not so";
    }
  }
  passed.cases_run = count;
  if (way == Way{}) laws.cover(coverage);
  passed.coverage = std::move(coverage);
  if (options.coverage && way == options.ways.front()) {
    passed.branches = branches_text(entry, options, [&](std::uint64_t i) {
      reporter.send({{"type", "case"}, {"index", i}, {"of", count}});
    });
  }
  reporter.send(to_json(passed, "result"));
}

void run_case(const verify::KernelEntry& entry, Way way, const Case& problem, const std::string& law,
              bool trace, const Reporter& reporter) {
  Tracer tracer(entry, way, reporter);
  const Loaded loaded = load(entry, way, observer_of(tracer, trace));
  if (loaded.refused) return reporter.send(to_json(*loaded.refused, "result"));
  reporter.send({{"type", "case"}, {"index", 0}});
  if (!law.empty()) {
    const auto found = properties::laws::find_law(loaded.trial->operation(), law);
    return reporter.send(to_json(law_report(loaded, entry, way, problem, found), "result"));
  }
  loaded.benches->set_schedule(problem);
  const auto made = loaded.trial->operation().make_problem(problem);
  tracer.follow(&made, properties::to_line(problem));
  auto report = report_of(*loaded.trial, entry, way, problem, loaded.trial->run(made));
  tracer.follow(nullptr);
  report.cases_run = 1;
  finish(report, loaded, problem, 0, "", reporter);
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

}  // namespace assay::cli
