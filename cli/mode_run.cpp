#include "cli/mode_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "cli/profiler.hpp"
#include "cli/tracer.hpp"
#include "harness/metal/errors.hpp"
#include "harness/metal/module.hpp"
#include "properties/coverage.hpp"
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

std::string replay_command(const std::string& line) {
  std::string escaped;
  for (const char c : line) escaped += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "assay replay '" + escaped + "'";
}

// Loads the kernel; a kernel that cannot be loaded is a report, not an exception.
struct Loaded {
  std::unique_ptr<Benches> benches;
  std::unique_ptr<properties::Trial> trial;
  std::optional<ModeReport> refused;
};

Loaded load(const verify::KernelEntry& entry, Way way, device::LaunchObserver observer = {}) {
  Loaded loaded;
  const auto refuse = [&](Verdict verdict, const std::string& what, const std::string& detail) {
    ModeReport report;
    report.verdict = verdict;
    report.summary = what;
    report.text = fmt::format("{}: {}: {}\n{}", entry.name, verify::name_of(verdict), what, detail);
    loaded.refused = report;
  };
  try {
    loaded.benches = std::make_unique<Benches>(way, std::move(observer));
    loaded.trial = std::make_unique<properties::Trial>(entry, loaded.benches->benches());
  } catch (const metal::UnsupportedFeature& error) {
    refuse(Verdict::unsupported, error.what(), "");
  } catch (const metal::SourceError& error) {
    refuse(Verdict::error, error.what(), "");
  } catch (const std::exception& error) {
    refuse(Verdict::error, error.what(), "");
  }
  return loaded;
}

device::LaunchObserver observer_of(const Tracer& tracer, bool trace) {
  if (!trace) return {};
  return [&tracer](const device::LaunchSnapshot& snapshot) { tracer(snapshot); };
}

ModeReport report_of(const properties::Trial& trial, const verify::KernelEntry& entry, Way way,
                     const Case& problem, const properties::TrialResult& result) {
  ModeReport report;
  report.verdict = result.outcome.verdict;
  report.summary = result.outcome.summary;
  if (report.verdict == Verdict::pass) return report;
  report.replay = replay_line(entry, way, problem);
  report.text = trial.report(problem.dims, result, replay_command(report.replay));
  return report;
}

// A kernel that cannot be compiled is for load() to report.
bool same_as_strict(const verify::KernelEntry& entry, Numerics numerics) {
  try {
    return metal::same_code(entry.kernel_source(), Numerics::strict, numerics);
  } catch (const std::exception&) {
    return false;
  }
}

ModeReport vacuous(std::string why) {
  ModeReport report;
  report.verdict = Verdict::vacuous;
  report.summary = std::move(why);
  return report;
}

}  // namespace

std::string replay_line(const verify::KernelEntry& entry, Way way, const Case& problem) {
  const auto numerics = way.numerics == Numerics::strict
                            ? std::string()
                            : fmt::format(" numerics={}", metal::name_of(way.numerics));
  return fmt::format("kernel={} manifest={} mode={}{} {}", quoted(entry.name),
                     quoted(entry.manifest.string()), name_of(way.mode), numerics,
                     properties::to_line(problem));
}

Case case_number(const verify::KernelEntry& entry, std::uint64_t seed, std::uint64_t index) {
  const auto& operation = properties::find_operation(entry.operation);
  return properties::case_at(operation.cases(properties::traits_of(entry)), seed, index);
}

std::string death_text(const verify::KernelEntry& entry, const ModeReport& report, const Case& problem) {
  return fmt::format("{}: {}: {}\n  case    {}\n  replay  {}\n", entry.name, verify::name_of(report.verdict),
                     report.summary, properties::to_line(problem), replay_command(report.replay));
}

void run_mode(const verify::KernelEntry& entry, Way way, const VerifyOptions& options,
              const Reporter& reporter) {
  if (way.numerics != Numerics::strict && options.covers(Way{}) && same_as_strict(entry, way.numerics)) {
    return reporter.send({{"type", "same"}});
  }
  Tracer tracer(entry, way, reporter);
  const Loaded loaded = load(entry, way, observer_of(tracer, options.trace));
  if (loaded.refused) return reporter.send(to_json(*loaded.refused, "result"));
  const auto& trial = *loaded.trial;
  const auto cases = trial.cases();
  properties::Coverage coverage;
  bool telling = false;
  const std::uint64_t count = options.cases_of(way);
  for (std::uint64_t i = 0; i < count; ++i) {
    reporter.send({{"type", "case"}, {"index", i}});
    const Case problem = properties::case_at(cases, options.seed, i);
    const auto made = trial.operation().make_problem(problem);
    loaded.benches->set_schedule(problem);
    tracer.follow(&made, properties::to_line(problem));
    const auto result = trial.run(made);
    tracer.follow(nullptr);
    if (result.outcome.verdict == Verdict::vacuous) continue;
    telling |= result.telling;
    trial.operation().cover(made, coverage);
    if (result.outcome.verdict == Verdict::pass) continue;

    auto found = report_of(trial, entry, way, problem, result);
    found.cases_run = i + 1;
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
    smallest.text += properties::Failure{i, problem, shrunk}.describe_shrinking() + "\n";
    return reporter.send(to_json(smallest, "result"));
  }
  ModeReport passed;
  passed.verdict = Verdict::pass;
  const auto missing = coverage.missing(
      properties::reachable(trial.operation().wanted_coverage(), properties::traits_of(entry)));
  if (!telling) {
    passed = vacuous("no case could have told this kernel from one that writes nothing");
  } else if (!missing.empty() && count == options.cases) {
    passed = vacuous(fmt::format(
        "{} cases did not reach: {}{}; ask for more with --cases", count,
        fmt::join(missing.begin(), missing.begin() + std::min<std::ptrdiff_t>(3, std::ssize(missing)), ", "),
        missing.size() > 3 ? fmt::format(" and {} more", missing.size() - 3) : ""));
  }
  passed.text = passed.summary.empty() ? "" : fmt::format("{}: vacuous: {}\n", entry.name, passed.summary);
  if (passed.verdict == Verdict::pass && way == options.counts() && !entry.claims.empty()) {
    passed.text = claims_text(entry, profile(entry));
    if (!passed.text.empty()) {
      passed.verdict = Verdict::claim_differs;
      passed.summary = "the manifest claims what is not so";
    }
  }
  passed.cases_run = count;
  reporter.send(to_json(passed, "result"));
}

void run_case(const verify::KernelEntry& entry, Way way, const Case& problem, bool trace,
              const Reporter& reporter) {
  Tracer tracer(entry, way, reporter);
  const Loaded loaded = load(entry, way, observer_of(tracer, trace));
  if (loaded.refused) return reporter.send(to_json(*loaded.refused, "result"));
  reporter.send({{"type", "case"}, {"index", 0}});
  loaded.benches->set_schedule(problem);
  const auto made = loaded.trial->operation().make_problem(problem);
  tracer.follow(&made, properties::to_line(problem));
  auto report = report_of(*loaded.trial, entry, way, problem, loaded.trial->run(made));
  report.cases_run = 1;
  reporter.send(to_json(report, "result"));
}

nlohmann::json to_json(const ModeReport& report, const char* type) {
  return {{"type", type},
          {"verdict", verify::name_of(report.verdict)},
          {"summary", report.summary},
          {"text", report.text},
          {"replay", report.replay},
          {"cases_run", report.cases_run}};
}

ModeReport report_from_json(const nlohmann::json& message) {
  ModeReport report;
  report.verdict = verify::verdict_from_name(message.at("verdict").get<std::string>());
  report.summary = message.at("summary").get<std::string>();
  report.text = message.at("text").get<std::string>();
  report.replay = message.at("replay").get<std::string>();
  report.cases_run = message.at("cases_run").get<std::uint64_t>();
  return report;
}

}  // namespace assay::cli
