#include "cli/case_runner.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/time.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "cli/profiler.hpp"
#include "cli/silence.hpp"
#include "harness/metal/cache.hpp"
#include "harness/metal/errors.hpp"
#include "harness/simulator/loop_steps.hpp"
#include "properties/trial.hpp"

namespace assay::cli {
namespace {

using verify::Verdict;

/// What ends the few that hang without a step of a loop: processor time of a case, and a time without a word,
/// should a process sleep. No kernel of any use comes near them.
constexpr time_t kHangs_s = 300;
constexpr double kSilent_s = 600;

constexpr std::int64_t kAnySteps = std::numeric_limits<std::int64_t>::max();

// The process ends by SIGPROF when it has used that much processor time from now; 0: no limit.
void limit_time(time_t seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

// A kernel under test in one mode, with its prepared cases.
class Runner {
 public:
  Runner(const MutatedKernel& kernel, Way way, Module module)
      : kernel_(kernel), benches_(way, {}, std::move(module)), trial_(*kernel.entry, benches_.benches()) {}

  // The process ends by SIGPROF where the case takes more steps.
  properties::TrialResult run(std::size_t index, std::int64_t steps) {
    const PreparedCase& one = kernel_.cases[index];
    benches_.set_schedule(one.problem);
    simulator::allow_steps(steps);
    limit_time(kHangs_s);
    auto result = trial_.run(one.made, one.expected);
    limit_time(0);
    return result;
  }

 private:
  const MutatedKernel& kernel_;
  Benches benches_;
  properties::Trial trial_;
};

// Rejected by any output of a case.
Rejected criteria_of(const properties::TrialResult& result, const PreparedCase& one) {
  Rejected all{};
  for (const auto& expectation : one.expected) {
    for (const auto& output : result.outputs) {
      if (output.name != expectation.tensor) continue;
      const auto rejected = rejected_by(output, expectation);
      for (std::size_t c = 0; c < all.size(); ++c) all[c] |= rejected[c];
    }
  }
  return all;
}

// In the child. Random cases are run until each of the criteria has rejected one; the others until Assay has.
void run_cases(const MutatedKernel& kernel, Way way, const Module& module,
               const std::vector<std::size_t>& cases, bool criteria_too, const Reporter& reporter) {
  Runner runner(kernel, way, module);
  nlohmann::json rejection;
  Rejected criteria{};
  const auto run = [&](std::size_t index, bool random) {
    reporter.send({{"at", index}, {"criteria", criteria}, {"random", random}});
    const auto result = runner.run(index, kernel.cases[index].step_limit(way));
    if (random) {
      const auto rejected = criteria_of(result, kernel.cases[index]);
      for (std::size_t c = 0; c < criteria.size(); ++c) {
        criteria[c] |= rejected[c] && !kernel.cases[index].spared[c];
      }
    }
    const auto& outcome = result.outcome;
    if (!rejection.is_null() || verify::exit_status(outcome.verdict) != 1) return;
    rejection = {
        {"verdict", verify::name_of(outcome.verdict)}, {"case", index}, {"summary", outcome.summary}};
  };
  if (criteria_too) {
    const auto all_reject = [&] {
      return std::find(criteria.begin(), criteria.end(), false) == criteria.end();
    };
    for (const auto index : kernel.random) {
      if (all_reject()) break;
      run(index, true);
    }
  }
  for (const auto index : cases) {
    if (!rejection.is_null()) break;
    run(index, false);
  }
  nlohmann::json done = {{"done", true}, {"criteria", criteria}};
  if (!rejection.is_null()) done.update(rejection);
  reporter.send(done);
}

// What a child that runs cases, or claims, comes to.
Judgement listen(Child child, bool criteria) {
  Judgement judgement;
  bool open = true, done = false, random = criteria;
  Silence silence;
  while (open && !done && silence.seconds() < kSilent_s) {
    pollfd polled{child.fd(), POLLIN, 0};
    poll(&polled, 1, kPoll_ms);
    open = child.receive();
    while (const auto message = child.next()) {
      silence.heard();
      if (message->contains("criteria")) judgement.criteria = (*message)["criteria"].get<Rejected>();
      if (message->contains("at")) judgement.case_ = (*message)["at"].get<std::int64_t>();
      if (message->contains("random")) random = (*message)["random"].get<bool>();
      if (message->contains("what")) {  // the device refused
        done = true;
        judgement.verdict = Verdict::error;
        judgement.summary = (*message)["what"].get<std::string>();
      }
      if (!message->contains("done")) continue;
      done = true;
      random = false;
      if (!message->contains("verdict")) continue;
      judgement.verdict = verify::verdict_from_name((*message)["verdict"].get<std::string>());
      judgement.case_ = (*message)["case"].get<std::int64_t>();
      judgement.summary = (*message)["summary"].get<std::string>();
    }
  }
  if (!done && open) child.kill();
  const auto death = child.join();
  if (!done) {
    const bool late = open || (death && death->signal == SIGPROF);
    judgement.verdict = late ? Verdict::timeout : Verdict::crash;
    judgement.summary = late ? "the case does not end" : death ? death->describe() : "the process ended";
  }
  // Anybody notices a program that stops or does not end.
  if (random) judgement.criteria.fill(true);
  return judgement;
}

}  // namespace

Judgement judge(const MutatedKernel& kernel, Way way, const Module& module,
                const std::vector<std::size_t>& cases, bool criteria) {
  return listen(
      Child([&](const Reporter& reporter) { run_cases(kernel, way, module, cases, criteria, reporter); },
            Trust::confined),
      criteria);
}

Judgement judge_claims(const verify::KernelEntry& entry) {
  return listen(Child([&](const Reporter& reporter) {
                  nlohmann::json done = {{"done", true}};
                  try {
                    const auto differs = claims_text(entry, profile_confined(entry, {}, reporter));
                    if (!differs.empty()) {
                      done.update({{"verdict", verify::name_of(Verdict::claim_differs)},
                                   {"case", 0},
                                   {"summary", "the manifest claims what is not so"}});
                    }
                  } catch (const metal::SourceError&) {
                    throw;  // its cases ran: the text compiles
                  } catch (const metal::ToolchainError&) {
                    throw;
                  } catch (const std::exception&) {
                    // What cannot be counted has no claims to break; its faults are for the cases to show.
                  }
                  reporter.send(done);
                }),
                false);
}

Judgement judge_claims(const MutatedKernel& kernel, const std::string& text) {
  const metal::ScratchDirectory scratch(metal::toolchain().cache);
  verify::KernelEntry changed = *kernel.entry;
  changed.source = scratch / "mutant.metal";
  changed.defines
      .clear();  // the preprocessor has been here; its line markers name files of the kernel's folder
  changed.include_dirs.push_back(kernel.entry->source.parent_path());
  metal::write_atomically(changed.source, text);
  return judge_claims(changed);
}

Child start_baseline(MutatedKernel& kernel, Way way, const std::vector<std::size_t>& cases) {
  const Module module = own_module(kernel, way);
  return Child(
      [&kernel, way, cases, module](const Reporter& reporter) {
        Runner runner(kernel, way, module);
        for (const auto i : cases) {
          const auto result = runner.run(i, kAnySteps);
          reporter.send({{"at", i},
                         {"steps", kAnySteps - simulator::steps_left()},
                         {"criteria", criteria_of(result, kernel.cases[i])},
                         {"verdict", verify::name_of(result.outcome.verdict)},
                         {"summary", result.outcome.summary}});
        }
      },
      Trust::confined);
}

void take_baseline(MutatedKernel& kernel, Way way, const std::vector<std::size_t>& cases, Child child) {
  std::size_t heard = 0;
  for (bool open = true; open;) {
    pollfd polled{child.fd(), POLLIN, 0};
    poll(&polled, 1, kPoll_ms);
    open = child.receive();
    while (const auto message = child.next()) {
      if (message->contains("what")) throw std::runtime_error((*message)["what"].get<std::string>());
      auto& one = kernel.cases.at((*message)["at"].get<std::size_t>());
      const auto verdict = (*message)["verdict"].get<std::string>();
      if (verdict != "pass") {
        throw std::runtime_error(fmt::format("the kernel itself does not pass ({}: {}); make it right first",
                                             verdict, (*message)["summary"].get<std::string>()));
      }
      one.own_steps[way] = (*message)["steps"].get<std::int64_t>();
      if (way == kFast) one.spared = (*message)["criteria"].get<Rejected>();
      ++heard;
    }
  }
  const auto death = child.join();
  if (heard != cases.size()) {
    throw std::runtime_error(fmt::format("the kernel itself does not pass: its process ended ({})",
                                         death ? death->describe() : "early"));
  }
}

}  // namespace assay::cli
