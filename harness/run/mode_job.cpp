#include "harness/run/mode_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "harness/device/source_text.hpp"
#include "harness/remote/fault_json.hpp"
#include "harness/run/case_loop.hpp"
#include "harness/run/cause.hpp"
#include "harness/run/failure_json.hpp"
#include "harness/run/finding.hpp"
#include "harness/run/kernel_under_test.hpp"
#include "harness/run/mode_run.hpp"
#include "harness/run/replay_line.hpp"
#include "harness/verify/report.hpp"

namespace assay::run {
namespace {

using properties::Case;

// What a process says may be anything, if the kernel has got hold of it.
std::optional<Case> case_in(const std::string& line) try {
  return line.empty() ? std::nullopt : std::optional(properties::parse_line(line));
} catch (const std::invalid_argument&) {
  return std::nullopt;
}

constexpr std::size_t kMostFaults = 64;  // of a launch that does not end

// What is known of a process that works on a kernel in one mode.
struct Task {
  const KernelEntry& entry;
  Mode mode;
  ModeListener listener;
  std::uint64_t of = 0;                     // so many cases
  std::optional<std::uint64_t> index = {};  // of the case it is at; none before the first
  std::optional<Case> named = {};           // the case, where it has no index
  std::string law = {};                     // that is tried on it; "" while it is held against the reference
  std::vector<device::Fault> faults = {};   // that its launch has shown so far
  std::optional<ModeReport> report = {};    // the latest, should it die while it shrinks
  bool same = false;                        // the code is that of strict arithmetic
  std::optional<ModeReport::Loading> loading = {};

  // Nothing of what was heard counts.
  void forget() {
    index.reset();
    named.reset();
    law.clear();
    faults.clear();
    report.reset();
    loading.reset();
    same = false;
  }

  // False at the last message.
  bool hear(const nlohmann::json& message) {
    const std::string type = message.value("type", "");
    if (type == "case") {
      of = message.value("of", of);
      index = message["index"].get<std::uint64_t>();
      law = message.value("law", "");
      faults.clear();
      named = case_in(message.value("line", ""));
      if (listener.at) listener.at(*index, of);
    } else if (type == "loaded") {
      loading = {message.value("seconds", 0.0), message.value("cached", false)};
    } else if (type == "seen") {
      note(remote::fault_in(message));
    } else if (type == "trace") {
      if (listener.trace) listener.trace(message.value("text", ""));
    } else if (type == "counted") {
      if (listener.counted) listener.counted(message.value("cause", ""));
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

  // Of a fault that every launch of a case shows, the first.
  void note(device::Fault fault) {
    // Whether writes leave the same value, which may be accepted, is known only when their launch has ended.
    const bool of_writes =
        std::all_of(fault.accesses.begin(), fault.accesses.end(), [](const auto& one) { return one.write; });
    if (entry.accepts_same_value_writes && fault.kind == device::FaultKind::race && of_writes) return;
    const bool known = std::any_of(faults.begin(), faults.end(), [&](const auto& one) {
      return one.kind == fault.kind && one.place == fault.place && one.message == fault.message;
    });
    if (!known && faults.size() < kMostFaults) faults.push_back(std::move(fault));
  }

  void end(ModeReport last, const process::JobEnd& end) const {
    last.mode = mode;
    last.same_as_strict = same;
    last.loading = loading;
    last.seconds = end.seconds;
    listener.ended(last);
  }
};

// A reference that does not compile, a device that fails: nothing of the kernel's, but it is what was asked
// for.
ModeReport failed(const KernelEntry& entry, const std::string& what) {
  ModeReport report;
  report.summary = what;
  report.text = fmt::format("{}: error: {}\n", entry.name, what);
  return report;
}

/// A case is given so much processor time. On a machine that is busy that takes longer, and a process that
/// waits without end takes none: so much of the wall clock is enough for both.
double wall_limit_s(double timeout_s) { return 60 + 10 * timeout_s; }

// "case 7 took more than 60 s of processor time and loops at gemm.metal:31"
std::string words_of_late(const process::Death& death, double timeout_s, const std::string& which) {
  if (!death.late()) return fmt::format("{} took more than {} s", which, wall_limit_s(timeout_s));
  const auto loop = death.place.line == 0 ? "" : fmt::format(" and loops at {}", assay::to_text(death.place));
  return fmt::format("{} took more than {} s of processor time{}", which, timeout_s, loop);
}

std::string words_of_killed(const process::JobEnd& end) {
  return fmt::format(
      "somebody killed the process that ran the kernel, twice ({}): is there too little memory?",
      end.death->describe());
}

// What the launch had shown before its process ended is the cause, or the likeliest there is.
ModeReport blamed_on_faults(const Task& task, ModeReport report, const Case& test_case) {
  Evidence evidence;
  evidence.report.faults = task.faults;
  for (const device::Fault& fault : task.faults) {  // another process compiled the kernel
    device::remember_source(fault.place.file);
    for (const device::Access& access : fault.accesses) device::remember_source(access.place.file);
  }
  Outcome outcome = assay::judge(evidence);
  outcome.summary += "; after that, " + report.summary;
  report.verdict = outcome.verdict;
  report.summary = outcome.summary;
  report.cause = cause_of(outcome.verdict, evidence);
  report.place = run::place_of(evidence);
  report.text =
      assay::failure_text({task.entry, test_case.dims, replay_command(report.replay), evidence, outcome});
  report.failure = failure_of(evidence, task.entry.tile);
  report.failure->test_case = properties::to_line(test_case);
  return report;
}

// A verdict for a process that ended or was stopped at that case, before it could give one. `which`: "case
// 7".
ModeReport obituary(const Task& task, const process::JobEnd& end, double timeout_s, const Case& test_case,
                    const std::string& which) {
  ModeReport report;
  const auto death = end.death.value_or(process::Death{});
  report.verdict = end.late ? Verdict::timeout : Verdict::crash;
  report.cause = cause_of_end(report.verdict, death);
  if (!death.place.file.empty()) report.place = death.place;
  report.summary = end.late ? words_of_late(death, timeout_s, which)
                            : fmt::format("{} stopped the process: {}", which, death.describe());
  report.replay = replay_line(task.entry, task.mode, test_case, task.law);
  if (!task.faults.empty()) return blamed_on_faults(task, std::move(report), test_case);
  report.text = death_text(task.entry, report, test_case);
  report.failure = failure_at(report.place, properties::to_line(test_case));
  return report;
}

ModeReport ended_before_the_first_case(const Task& task, const process::JobEnd& end, double timeout_s) {
  ModeReport report;
  report.summary = end.late
                       ? fmt::format("compiling took more than {} s of processor time", timeout_s)
                       : fmt::format("the process ended before the first case: {}", end.death->describe());
  report.text = fmt::format("{}: error: {}\n", task.entry.name, report.summary);
  return report;
}

// How a job without a report of its own has ended.
ModeReport last_of(const Task& task, const VerifyOptions& options, const process::JobEnd& end) {
  if (end.clean()) return {};
  if (!task.index) return ended_before_the_first_case(task, end, options.timeout_s);
  const auto test_case = task.named ? *task.named : cases_of(task.entry, task.mode, options).at(*task.index);
  auto report = obituary(task, end, options.timeout_s, test_case,
                         task.named ? "a schedule of its case" : fmt::format("case {}", *task.index));
  report.cases_run = *task.index + 1;
  return report;
}

process::Job job_of(const std::shared_ptr<Task>& task, double timeout_s, unsigned threads = 1) {
  process::Job job;
  job.start_limit_s = timeout_s;  // to compile
  job.idle_limit_s = wall_limit_s(timeout_s);
  job.processor_limit_s = timeout_s * threads;
  job.hear = [task](const nlohmann::json& message) { return task->hear(message); };
  job.again = [task] { task->forget(); };
  return job;
}

}  // namespace

process::Job mode_job(const KernelEntry& entry, Mode mode, const VerifyOptions& options,
                      ModeListener listener) {
  const auto task = std::make_shared<Task>(Task{entry, mode, std::move(listener)});
  auto job = job_of(task, options.timeout_s, options.threads);
  job.work = [task, options](const process::Reporter& reporter) {
    run_mode(task->entry, task->mode, options, reporter);
  };
  job.ended = [task, options](const process::JobEnd& end) {
    if (!end.failure.empty()) task->report = failed(task->entry, end.failure);
    if (end.killed()) task->report = failed(task->entry, words_of_killed(end));
    task->end(task->report ? *task->report : last_of(*task, options, end), end);
  };
  return job;
}

process::Job case_job(const KernelEntry& entry, Mode mode, const Case& test_case, const CaseOptions& options,
                      std::function<void(const ModeReport& report)> ended) {
  ModeListener listener;
  listener.trace = options.trace;
  listener.ended = std::move(ended);
  const auto task = std::make_shared<Task>(Task{entry, mode, std::move(listener)});
  auto job = job_of(task, options.timeout_s);
  job.work = [task, test_case, options](const process::Reporter& reporter) {
    run_case(task->entry, task->mode, test_case, options, reporter);
  };
  job.ended = [task, test_case, options](const process::JobEnd& end) {
    task->law = options.law;
    if (!end.failure.empty()) task->report = failed(task->entry, end.failure);
    if (end.killed()) task->report = failed(task->entry, words_of_killed(end));
    if (!task->report && !end.clean() && !task->index)
      task->report = ended_before_the_first_case(*task, end, options.timeout_s);
    // A report may be one that a probe of its diagnosis kept from being finished.
    task->end(task->report ? *task->report : obituary(*task, end, options.timeout_s, test_case, "the case"),
              end);
  };
  return job;
}

}  // namespace assay::run
