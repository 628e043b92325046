#include "harness/mutate/case_runner.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/time.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>

#include "harness/metal/cache.hpp"
#include "harness/metal/errors.hpp"
#include "harness/process/pool.hpp"
#include "harness/profile/profiler.hpp"
#include "harness/simulator/loop_steps.hpp"
#include "properties/trial.hpp"

namespace assay::mutate {
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
  Runner(const MutatedKernel& kernel, run::Way way, Module module)
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
  run::Benches benches_;
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
void run_cases(const MutatedKernel& kernel, run::Way way, const Module& module,
               const std::vector<std::size_t>& cases, bool criteria_too, const process::Reporter& reporter) {
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

// What a process that runs cases, or claims, comes to.
Judgement judgement_of(std::function<void(const process::Reporter&)> work, process::Trust trust,
                       bool criteria) {
  Judgement judgement;
  bool done = false, random = criteria;
  process::Job job;
  job.work = std::move(work);
  job.trust = trust;
  job.silence_s = kSilent_s;
  job.hear = [&](const nlohmann::json& message) {
    if (message.contains("criteria")) judgement.criteria = message["criteria"].get<Rejected>();
    if (message.contains("at")) judgement.case_ = message["at"].get<std::int64_t>();
    if (message.contains("random")) random = message["random"].get<bool>();
    if (!message.contains("done")) return true;
    done = true;
    random = false;
    if (message.contains("verdict")) {
      judgement.verdict = verify::verdict_from_name(message["verdict"].get<std::string>());
      judgement.case_ = message["case"].get<std::int64_t>();
      judgement.summary = message["summary"].get<std::string>();
    }
    return false;
  };
  job.ended = [&](const process::JobEnd& end) {
    if (done) return;
    const bool stopped = end.late || (end.death && end.death->signal == SIGPROF);
    judgement.verdict = !end.failure.empty() ? Verdict::error  // the device refused
                        : stopped            ? Verdict::timeout
                                             : Verdict::crash;
    judgement.summary = !end.failure.empty() ? end.failure
                        : stopped            ? "the case does not end"
                        : end.death          ? end.death->describe()
                                             : "the process ended";
  };
  process::run_job(std::move(job));
  // Anybody notices a program that stops or does not end.
  if (random) judgement.criteria.fill(true);
  return judgement;
}

}  // namespace

Judgement judge(const MutatedKernel& kernel, run::Way way, const Module& module,
                const std::vector<std::size_t>& cases, bool criteria) {
  return judgement_of(
      [&](const process::Reporter& reporter) { run_cases(kernel, way, module, cases, criteria, reporter); },
      process::Trust::confined, criteria);
}

Judgement judge_claims(const verify::KernelEntry& entry) {
  const auto count = [&](const process::Reporter& reporter) {
    nlohmann::json done = {{"done", true}};
    try {
      const auto differs = profile::claims_text(entry, profile::profile_confined(entry, {}, reporter));
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
  };
  return judgement_of(count, process::Trust::whole, false);
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

void run_baselines(MutatedKernel& kernel, const std::vector<Baseline>& baselines, unsigned jobs) {
  process::Pool pool(jobs);
  for (const Baseline& baseline : baselines) {
    const run::Way way = baseline.way;
    const auto heard = std::make_shared<std::size_t>(0);
    process::Job job;
    job.trust = process::Trust::confined;
    job.work = [&kernel, &baseline, module = own_module(kernel, way)](const process::Reporter& reporter) {
      Runner runner(kernel, baseline.way, module);
      for (const auto i : baseline.cases) {
        const auto result = runner.run(i, kAnySteps);
        reporter.send({{"at", i},
                       {"steps", kAnySteps - simulator::steps_left()},
                       {"criteria", criteria_of(result, kernel.cases[i])},
                       {"verdict", verify::name_of(result.outcome.verdict)},
                       {"summary", result.outcome.summary}});
      }
    };
    job.hear = [&kernel, way, heard](const nlohmann::json& message) {
      const auto verdict = message["verdict"].get<std::string>();
      if (verdict != "pass") {
        throw std::runtime_error(fmt::format("the kernel itself does not pass ({}: {}); make it right first",
                                             verdict, message["summary"].get<std::string>()));
      }
      auto& one = kernel.cases.at(message["at"].get<std::size_t>());
      one.own_steps[way] = message["steps"].get<std::int64_t>();
      if (way == kFast) one.spared = message["criteria"].get<Rejected>();
      ++*heard;
      return true;
    };
    job.ended = [&baseline, heard](const process::JobEnd& end) {
      if (!end.failure.empty()) throw std::runtime_error(end.failure);
      if (*heard == baseline.cases.size()) return;
      throw std::runtime_error(fmt::format("the kernel itself does not pass: its process ended ({})",
                                           end.death ? end.death->describe() : "early"));
    };
    pool.add(std::move(job));
  }
  pool.run();
}

}  // namespace assay::mutate
