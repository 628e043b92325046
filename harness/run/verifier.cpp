#include "harness/run/verifier.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "harness/process/pool.hpp"
#include "harness/run/case_loop.hpp"
#include "harness/run/finding.hpp"
#include "harness/run/mode_run.hpp"
#include "harness/run/replay_line.hpp"

namespace assay::run {
namespace {

// What is known of a kernel that is verified in one way, by a process of its own.
struct Task {
  const KernelEntry& entry;
  Mode mode;
  std::uint64_t of = 0;                     // so many cases
  std::optional<std::uint64_t> index = {};  // of the case it is at; none before the first
  std::string law = {};                     // that is tried on it; "" while it is held against the reference
  std::optional<ModeReport> report = {};    // the latest, should it die while it shrinks
  bool same = false;                        // the code is that of strict arithmetic

  // False at the last message.
  bool hear(const nlohmann::json& message, const std::function<void(const std::string&)>& trace) {
    const std::string type = message.value("type", "");
    if (type == "case") {
      of = message.value("of", of);
      index = message["index"].get<std::uint64_t>();
      law = message.value("law", "");
    } else if (type == "trace") {
      if (trace) trace(message.value("text", ""));
    } else if (type == "found" || type == "result") {
      report = report_from_json(message);
      return type != "result";
    } else if (type == "same") {
      report = ModeReport{};
      same = true;
      return false;
    }
    return true;
  }
};

ModeReport failed(const std::string& what) {
  ModeReport report;
  report.summary = what;
  report.text = "assay: " + what + "\n";
  return report;
}

// A verdict for a child that ended or was stopped before it could give one.
ModeReport obituary(const Task& task, const VerifyOptions& options, const process::JobEnd& end) {
  if (end.clean()) return {};
  const auto& entry = task.entry;
  const bool timed_out = end.late;
  ModeReport report;
  report.verdict = timed_out ? Verdict::timeout : Verdict::crash;
  if (!task.index) {
    report.verdict = Verdict::error;
    report.summary = timed_out
                         ? fmt::format("compiling did not end within {} s", options.timeout_s)
                         : fmt::format("the process ended before the first case: {}", end.death->describe());
    report.text = fmt::format("{}: error: {}\n", entry.name, report.summary);
    return report;
  }
  report.cases_run = *task.index + 1;
  report.summary = timed_out
                       ? fmt::format("case {} did not end within {} s", *task.index, options.timeout_s)
                       : fmt::format("case {} stopped the process: {}", *task.index, end.death->describe());
  if (end.death && !end.death->place.file.empty()) report.place = end.death->place;
  const auto test_case = cases_of(entry, task.mode, options).at(*task.index);
  report.replay = replay_line(entry, task.mode, test_case, task.law);
  report.text = death_text(entry, report, test_case);
  return report;
}

// What strict arithmetic said, in fast mode, of the code that it shares.
void copy_verdict_of_same_code(std::vector<ModeReport>& reports) {
  for (auto& report : reports) {
    if (!report.same_as_strict) continue;
    const auto strict = std::find_if(reports.begin(), reports.end(),
                                     [](const auto& other) { return other.mode == Mode::fast; });
    const auto own = report;
    report = *strict;
    report.mode = own.mode;
    report.seconds = own.seconds;
    report.same_as_strict = true;
  }
}

// The modes in which a shard runs kernel number `index` of so many. Checked runs, which cost most, are
// numbered behind all others: so each shard gets its share of both.
std::vector<Mode> modes_of_shard(const VerifyOptions& options, std::size_t index, std::size_t kernels) {
  std::vector<Mode> modes;
  for (const Mode mode : options.modes) {
    if (options.shard.takes(mode == Mode::checked ? kernels + index : index)) modes.push_back(mode);
  }
  return modes;
}

}  // namespace

std::vector<Numerics> KernelReport::survived() const {
  std::vector<Numerics> all;
  for (const auto numerics : {Numerics::strict, Numerics::contracted, Numerics::reassociated}) {
    bool run = false, passed = true;
    for (const auto& report : modes) {
      if (numerics_of(report.mode) != numerics) continue;
      run = true;
      passed &= report.verdict == Verdict::pass;
    }
    if (run && passed) all.push_back(numerics);
  }
  return all;
}

const ModeReport& KernelReport::decisive() const {
  const auto rank = [](const ModeReport& report) {
    switch (report.verdict) {
      case Verdict::pass:
        return 100;
      case Verdict::vacuous:
        return 90;
      case Verdict::unsupported:
        return 80;
      case Verdict::error:
        return 70;
      case Verdict::claim_differs:
        return 30;
      case Verdict::law_broken:
        return 25;
      case Verdict::wrong_result:
        return 20;
      case Verdict::timeout:
        return 15;
      case Verdict::crash:
        return report.mode == Mode::checked ? 13 : 14;
      default:  // both modes may see a fault; checked mode knows its source line
        return report.mode == Mode::checked ? 1 : 2;
    }
  };
  return *std::min_element(modes.begin(), modes.end(),
                           [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

std::vector<KernelReport> verify_kernels(const std::vector<const KernelEntry*>& entries,
                                         const VerifyOptions& options, const Progress& progress) {
  std::vector<KernelReport> reports(entries.size());
  std::vector<std::vector<Mode>> own;
  for (std::size_t k = 0; k < entries.size(); ++k) own.push_back(modes_of_shard(options, k, entries.size()));
  std::size_t announced = 0;
  const auto announce = [&] {
    while (announced < reports.size() && reports[announced].modes.size() == own[announced].size()) {
      auto& modes = reports[announced].modes;
      if (modes.empty()) {
        ++announced;
        continue;
      }
      std::sort(modes.begin(), modes.end(), [](const auto& a, const auto& b) { return a.mode < b.mode; });
      copy_verdict_of_same_code(modes);
      if (progress.finished) progress.finished(reports[announced]);
      ++announced;
    }
  };
  process::Pool pool(options.jobs);
  std::string current;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    reports[k].entry = entries[k];
    for (const Mode mode : own[k]) {
      const auto task = std::make_shared<Task>(Task{*entries[k], mode});
      process::Job job;
      job.silence_s = options.timeout_s;
      job.work = [&options, task](const process::Reporter& reporter) {
        run_mode(task->entry, task->mode, options, reporter);
      };
      job.hear = [&, task](const nlohmann::json& message) {
        const bool more = task->hear(message, progress.trace);
        current = fmt::format("{} {} {}/{}", task->entry.name, name_of(task->mode), task->index.value_or(0),
                              task->of);
        return more;
      };
      job.ended = [&, k, task](const process::JobEnd& end) {
        if (!end.failure.empty()) task->report = failed(end.failure);
        auto& report =
            reports[k].modes.emplace_back(task->report ? *task->report : obituary(*task, options, end));
        report.mode = task->mode;
        report.same_as_strict = task->same;
        report.seconds = end.seconds;
        announce();
      };
      pool.add(std::move(job));
    }
  }
  pool.run([&] {
    if (progress.step && !current.empty()) progress.step(current);
  });
  std::erase_if(reports, [](const KernelReport& report) { return report.modes.empty(); });
  return reports;
}

ModeReport verify_case(const KernelEntry& entry, Mode mode, const properties::Case& test_case,
                       const CaseOptions& options) {
  Task task{entry, mode};
  process::JobEnd end;
  process::Job job;
  job.silence_s = options.timeout_s;
  job.work = [&](const process::Reporter& reporter) { run_case(entry, mode, test_case, options, reporter); };
  job.hear = [&](const nlohmann::json& message) { return task.hear(message, options.trace); };
  job.ended = [&](const process::JobEnd& how) { end = how; };
  process::run_job(std::move(job));
  if (!end.failure.empty()) task.report = failed(end.failure);
  if (task.report) {  // be it one that a probe of its diagnosis kept from being finished
    task.report->mode = mode;
    return *task.report;
  }
  ModeReport report;
  report.mode = mode;
  report.verdict = end.late ? Verdict::timeout : Verdict::crash;
  report.summary = end.late ? fmt::format("the case did not end within {} s", options.timeout_s)
                            : fmt::format("the case stopped the process: {}",
                                          end.death ? end.death->describe() : "no reason");
  report.replay = replay_line(entry, mode, test_case, options.law);
  report.text = death_text(entry, report, test_case);
  return report;
}

int exit_status(const std::vector<KernelReport>& reports) {
  int status = 0;
  for (const auto& report : reports) {
    const int one = assay::exit_status(report.decisive().verdict);
    if (one == 1 || status == 1) {
      status = 1;
    } else {
      status = std::max(status, one);
    }
  }
  return status;
}

}  // namespace assay::run
