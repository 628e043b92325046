#include "cli/verifier.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>

#include "cli/child.hpp"
#include "cli/mode_run.hpp"
#include "cli/silence.hpp"

namespace assay::cli {
namespace {

using verify::Verdict;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A child at work on one kernel in one way, as its parent sees it.
struct Task {
  std::size_t kernel = 0;
  Way way;
  std::unique_ptr<Child> child;
  Clock::time_point started;
  Silence silence;
  std::uint64_t of = 0;                // so many cases
  std::optional<std::uint64_t> index;  // of the case it is at; none before the first
  std::string law;                     // that is tried on it; "" while it is held against the reference
  std::optional<ModeReport> report;    // the latest, should it die while it shrinks
  bool finished = false;
  bool same = false;  // the code is that of strict arithmetic
};

void listen(Task& task, const std::function<void(const std::string&)>& trace) {
  while (auto message = task.child->next()) {
    task.silence.heard();
    const std::string type = message->value("type", "");
    if (type == "case") {
      task.of = message->value("of", task.of);
      task.index = (*message)["index"].get<std::uint64_t>();
      task.law = message->value("law", "");
    } else if (type == "trace") {
      if (trace) trace(message->value("text", ""));
    } else if (type == "found" || type == "result") {
      task.report = report_from_json(*message);
      task.finished = type == "result";
    } else if (type == "same") {
      task.report = ModeReport{};
      task.finished = task.same = true;
    } else if (type == "failed") {
      task.report = ModeReport{};
      task.report->summary = message->value("what", "");
      task.report->text = "assay: " + task.report->summary + "\n";
      task.finished = true;
    }
  }
}

// A verdict for a child that ended or was stopped before it could give one.
ModeReport obituary(const Task& task, const verify::KernelEntry& entry, const VerifyOptions& options,
                    const std::optional<Death>& death, bool timed_out) {
  ModeReport report;
  report.verdict = timed_out ? Verdict::timeout : Verdict::crash;
  if (!task.index) {
    report.verdict = Verdict::error;
    report.summary = timed_out
                         ? fmt::format("compiling did not end within {} s", options.timeout_s)
                         : fmt::format("the process ended before the first case: {}", death->describe());
    report.text = fmt::format("{}: error: {}\n", entry.name, report.summary);
    return report;
  }
  report.cases_run = *task.index + 1;
  report.summary = timed_out ? fmt::format("case {} did not end within {} s", *task.index, options.timeout_s)
                             : fmt::format("case {} stopped the process: {}", *task.index, death->describe());
  const auto problem = case_number(entry, options, *task.index);
  report.replay = replay_line(entry, task.way, problem, task.law);
  report.text = death_text(entry, report, problem);
  return report;
}

// What strict arithmetic said, in fast mode, of the code that it shares.
void settle_same(std::vector<ModeReport>& reports) {
  for (auto& report : reports) {
    if (!report.same_as_strict) continue;
    const auto strict =
        std::find_if(reports.begin(), reports.end(), [](const auto& other) { return other.way == Way{}; });
    const auto own = report;
    report = *strict;
    report.way = own.way;
    report.seconds = own.seconds;
    report.same_as_strict = true;
  }
}

}  // namespace

std::vector<Numerics> KernelReport::survived() const {
  std::vector<Numerics> all;
  for (const auto numerics : {Numerics::strict, Numerics::contracted, Numerics::reassociated}) {
    bool run = false, passed = true;
    for (const auto& report : modes) {
      if (report.way.numerics != numerics) continue;
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
        return report.way.mode == Mode::checked ? 13 : 14;
      default:  // both modes may see a fault; checked mode knows its source line
        return report.way.mode == Mode::checked ? 1 : 2;
    }
  };
  return *std::min_element(modes.begin(), modes.end(),
                           [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

std::vector<KernelReport> verify_kernels(const std::vector<const verify::KernelEntry*>& entries,
                                         const VerifyOptions& options, const Progress& progress) {
  std::vector<KernelReport> reports(entries.size());
  std::vector<Task> waiting;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    reports[k].entry = entries[k];
    for (const Way way : options.ways) {
      Task& task = waiting.emplace_back();
      task.kernel = k;
      task.way = way;
    }
  }
  std::reverse(waiting.begin(), waiting.end());
  std::vector<Task> running;
  std::size_t announced = 0;
  while (!waiting.empty() || !running.empty()) {
    while (!waiting.empty() && running.size() < std::max(1u, options.jobs)) {
      Task task = std::move(waiting.back());
      waiting.pop_back();
      const auto& entry = *entries[task.kernel];
      task.started = Clock::now();
      task.silence.heard();
      task.child = std::make_unique<Child>(
          [&, way = task.way](const Reporter& reporter) { run_mode(entry, way, options, reporter); });
      running.push_back(std::move(task));
    }
    std::vector<pollfd> polled;
    for (const auto& task : running) polled.push_back({task.child->fd(), POLLIN, 0});
    poll(polled.data(), polled.size(), 100);
    for (std::size_t i = running.size(); i-- > 0;) {
      Task& task = running[i];
      const auto& entry = *entries[task.kernel];
      const bool open = task.child->receive();
      listen(task, progress.trace);
      const bool timed_out = open && task.silence.seconds() > options.timeout_s;
      if (progress.step) {
        progress.step(
            fmt::format("{} {} {}/{}", entry.name, name_of(task.way), task.index.value_or(0), task.of));
      }
      if (open && !timed_out && !task.finished) continue;
      if (timed_out) task.child->kill();
      const auto death = task.child->join();
      if (!task.report) {
        task.report = death || timed_out ? obituary(task, entry, options, death, timed_out) : ModeReport{};
      }
      task.report->way = task.way;
      task.report->same_as_strict = task.same;
      task.report->seconds = seconds_since(task.started);
      reports[task.kernel].modes.push_back(*task.report);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
    while (announced < reports.size() && reports[announced].modes.size() == options.ways.size()) {
      auto& modes = reports[announced].modes;
      std::sort(modes.begin(), modes.end(), [](const auto& a, const auto& b) { return a.way < b.way; });
      settle_same(modes);
      if (progress.finished) progress.finished(reports[announced]);
      ++announced;
    }
  }
  return reports;
}

ModeReport verify_case(const verify::KernelEntry& entry, Way way, const properties::Case& problem,
                       double timeout_s, const std::function<void(const std::string&)>& trace,
                       const std::string& law) {
  Task task;
  task.way = way;
  task.child = std::make_unique<Child>(
      [&](const Reporter& reporter) { run_case(entry, way, problem, law, trace != nullptr, reporter); });
  bool open = true, timed_out = false;
  while (open && !task.finished && !timed_out) {
    pollfd polled{task.child->fd(), POLLIN, 0};
    poll(&polled, 1, 100);
    open = task.child->receive();
    listen(task, trace);
    timed_out = task.silence.seconds() > timeout_s;
  }
  if (timed_out) task.child->kill();
  const auto death = task.child->join();
  if (task.report) {  // be it one that a probe of its diagnosis kept from being finished
    task.report->way = way;
    return *task.report;
  }
  ModeReport report;
  report.way = way;
  report.verdict = timed_out ? Verdict::timeout : Verdict::crash;
  report.summary =
      timed_out ? fmt::format("the case did not end within {} s", timeout_s)
                : fmt::format("the case stopped the process: {}", death ? death->describe() : "no reason");
  report.replay = replay_line(entry, way, problem, law);
  report.text = death_text(entry, report, problem);
  return report;
}

int exit_status(const std::vector<KernelReport>& reports) {
  int status = 0;
  for (const auto& report : reports) {
    const int one = verify::exit_status(report.decisive().verdict);
    if (one == 1 || status == 1) {
      status = 1;
    } else {
      status = std::max(status, one);
    }
  }
  return status;
}

}  // namespace assay::cli
