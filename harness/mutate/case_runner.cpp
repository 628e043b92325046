#include "harness/mutate/case_runner.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>

#include "harness/metal/compile/cache.hpp"
#include "harness/metal/compile/errors.hpp"
#include "harness/process/pool.hpp"
#include "harness/profile/profiler.hpp"
#include "harness/run/case_loop.hpp"
#include "properties/cases/trial.hpp"

namespace assay::mutate {
namespace {

/// What ends the few that hang without a step of a loop: processor time of a case, and a time without a word,
/// should a process sleep. No kernel of any use comes near them.
constexpr double kHangs_s = 300;
constexpr double kSilent_s = 600;

constexpr std::int64_t kAnySteps = std::numeric_limits<std::int64_t>::max();

// A kernel under test in one mode, with its prepared cases.
class Runner {
 public:
  Runner(const MutatedKernel& kernel, run::Mode mode, Module module)
      : kernel_(kernel),
        devices_(mode, {.module = std::move(module), .loop_budget = budget_}),
        trial_(*kernel.entry, devices_.devices(), run::compiled_in(mode, kernel.entry->arithmetic)) {
    devices_.start();
  }

  // The cases with these numbers, in turn.
  void run_cases(const std::vector<std::size_t>& cases, run::CaseJudge& judge,
                 const process::Reporter& reporter) {
    run::run_cases({cases.size(), [&](std::uint64_t i) { return kernel_.cases[cases[i]].test_case; }}, judge,
                   reporter);
  }

  // The process ends by SIGPROF where the case takes more steps.
  properties::TrialResult run(std::size_t index, std::int64_t steps) const {
    budget_->left = steps;
    return trial_.run(kernel_.cases[index].test_case);
  }

  std::int64_t steps_left() const { return budget_->left; }

 private:
  std::shared_ptr<device::LoopBudget> budget_ = std::make_shared<device::LoopBudget>();
  const MutatedKernel& kernel_;
  run::TestDevices devices_;
  properties::Trial trial_;
};

// Rejected by any output of a case.
Rejected criteria_of(const properties::TrialResult& result) {
  Rejected all{};
  for (const auto& expectation : result.expected) {
    for (const auto& output : result.outputs) {
      if (output.name != expectation.tensor) continue;
      const auto rejected = rejected_by(output, expectation);
      for (std::size_t c = 0; c < all.size(); ++c) all[c] |= rejected[c];
    }
  }
  return all;
}

// Random cases are run until each of the criteria has rejected one; the others, behind them, until Assay has.
class MutantJudge final : public run::CaseJudge {
 public:
  MutantJudge(const MutatedKernel& kernel, run::Mode mode, const Runner& runner, std::size_t random,
              const std::vector<std::size_t>& order, const process::Reporter& reporter)
      : kernel_(kernel), mode_(mode), runner_(runner), random_(random), order_(order), reporter_(reporter) {}

  std::optional<run::Finding> judge(std::uint64_t i, const properties::Case&) override {
    const std::size_t index = order_[i];
    const bool random = i < random_;
    if (random && std::find(criteria_.begin(), criteria_.end(), false) == criteria_.end())
      return std::nullopt;
    if (!random && !rejection_.is_null()) return run::Finding{};
    reporter_.send({{"at", index}, {"criteria", criteria_}, {"random", random}});
    const auto result = runner_.run(index, kernel_.cases[index].step_limit(mode_));
    if (random) {
      const auto rejected = criteria_of(result);
      for (std::size_t c = 0; c < criteria_.size(); ++c) {
        criteria_[c] |= rejected[c] && !kernel_.cases[index].spared[c];
      }
    }
    const auto& outcome = result.outcome;
    if (rejection_.is_null() && assay::exit_status(outcome.verdict) == 1) {
      rejection_ = {
          {"verdict", assay::name_of(outcome.verdict)}, {"case", index}, {"summary", outcome.summary}};
    }
    return std::nullopt;
  }

  run::Finding conclude(std::uint64_t) override { return {}; }

  nlohmann::json judgement() const {
    nlohmann::json done = {{"done", true}, {"criteria", criteria_}};
    if (!rejection_.is_null()) done.update(rejection_);
    return done;
  }

 private:
  const MutatedKernel& kernel_;
  run::Mode mode_;
  const Runner& runner_;
  std::size_t random_;
  const std::vector<std::size_t>& order_;
  const process::Reporter& reporter_;
  nlohmann::json rejection_;
  Rejected criteria_{};
};

// The kernel itself on each case: the steps that it takes, and who rejects it.
class BaselineJudge final : public run::CaseJudge {
 public:
  BaselineJudge(const MutatedKernel& kernel, const Runner& runner, const std::vector<std::size_t>& order,
                const process::Reporter& reporter)
      : kernel_(kernel), runner_(runner), order_(order), reporter_(reporter) {}

  std::optional<run::Finding> judge(std::uint64_t i, const properties::Case&) override {
    const auto result = runner_.run(order_[i], kAnySteps);
    reporter_.send({{"baseline", order_[i]},
                    {"steps", kAnySteps - runner_.steps_left()},
                    {"criteria", criteria_of(result)},
                    {"verdict", assay::name_of(result.outcome.verdict)},
                    {"summary", result.outcome.summary}});
    return std::nullopt;
  }

  run::Finding conclude(std::uint64_t) override { return {}; }

 private:
  const MutatedKernel& kernel_;
  const Runner& runner_;
  const std::vector<std::size_t>& order_;
  const process::Reporter& reporter_;
};

// What a process that runs cases, or claims, comes to.
Judgement judgement_of(std::function<void(const process::Reporter&)> work, bool criteria) {
  Judgement judgement;
  bool done = false, random = criteria;
  process::Job job;
  job.work = std::move(work);
  job.processor_limit_s = kHangs_s;
  job.idle_limit_s = kSilent_s;
  job.again = [&] {
    judgement = {};
    random = criteria;
  };
  job.hear = [&](const nlohmann::json& message) {
    if (message.contains("criteria")) judgement.criteria = message["criteria"].get<Rejected>();
    if (message.contains("at")) judgement.case_ = message["at"].get<std::int64_t>();
    if (message.contains("random")) random = message["random"].get<bool>();
    if (!message.contains("done")) return true;
    done = true;
    random = false;
    if (message.contains("verdict")) {
      judgement.verdict = assay::verdict_from_name(message["verdict"].get<std::string>());
      judgement.case_ = message["case"].get<std::int64_t>();
      judgement.summary = message["summary"].get<std::string>();
    }
    return false;
  };
  job.ended = [&](const process::JobEnd& end) {
    if (done) return;
    const bool stopped = end.late || (end.death && end.death->signal == SIGPROF);
    judgement.verdict = !end.failure.empty() || end.killed() ? Verdict::error  // not the kernel's
                        : stopped                            ? Verdict::timeout
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

Judgement judge(const MutatedKernel& kernel, run::Mode mode, const Module& module,
                const std::vector<std::size_t>& cases, bool criteria) {
  auto order = criteria ? kernel.random : std::vector<std::size_t>();
  const std::size_t random = order.size();
  order.insert(order.end(), cases.begin(), cases.end());
  const auto work = [&](const process::Reporter& reporter) {
    Runner runner(kernel, mode, module);
    MutantJudge judge(kernel, mode, runner, random, order, reporter);
    runner.run_cases(order, judge, reporter);
    reporter.send(judge.judgement());
  };
  return judgement_of(work, criteria);
}

Judgement judge_claims(const KernelEntry& entry) {
  const auto count = [&](const process::Reporter& reporter) {
    nlohmann::json done = {{"done", true}};
    try {
      const auto differs = profile::claims_text(entry, profile::Profiler(entry).count({}));
      if (!differs.empty()) {
        done.update({{"verdict", assay::name_of(Verdict::claim_differs)},
                     {"case", 0},
                     {"summary", "a claim of the manifest differs from what was counted"}});
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
  return judgement_of(count, false);
}

Judgement judge_claims(const MutatedKernel& kernel, const std::string& text) {
  const metal::ScratchDirectory scratch(metal::toolchain().cache);
  KernelEntry changed = *kernel.entry;
  changed.source = scratch / "mutant.metal";
  // The preprocessor has been here; its line markers name files of the kernel's folder.
  changed.defines.clear();
  changed.include_dirs.push_back(kernel.entry->source.parent_path());
  for (const auto& file : changed.text_prefix) changed.include_dirs.push_back(file.parent_path());
  changed.text_prefix.clear();
  if (changed.mlx) {  // it is whole now
    changed.composed.emplace();
    if (!changed.mlx->header.empty()) changed.include_dirs.push_back(changed.mlx->header.parent_path());
  }
  metal::write_atomically(changed.source, text);
  return judge_claims(changed);
}

bool run_baselines(MutatedKernel& kernel, const std::vector<Baseline>& baselines, unsigned jobs) {
  bool any_passes = false;
  process::Pool pool(jobs);
  for (const Baseline& baseline : baselines) {
    const run::Mode mode = baseline.mode;
    const auto heard = std::make_shared<std::size_t>(0);
    process::Job job;
    job.processor_limit_s = kHangs_s;
    job.work = [&kernel, &baseline, module = own_module(kernel, mode)](const process::Reporter& reporter) {
      Runner runner(kernel, baseline.mode, module);
      BaselineJudge judge(kernel, runner, baseline.cases, reporter);
      runner.run_cases(baseline.cases, judge, reporter);
    };
    job.hear = [&kernel, &any_passes, mode, heard](const nlohmann::json& message) {
      if (!message.contains("baseline")) return true;
      const auto verdict = message["verdict"].get<std::string>();
      if (verdict != "pass" && verdict != "vacuous") {
        throw std::runtime_error(fmt::format("the kernel itself does not pass ({}: {}); make it right first",
                                             verdict, message["summary"].get<std::string>()));
      }
      any_passes |= verdict == "pass";
      auto& one = kernel.cases.at(message["baseline"].get<std::size_t>());
      one.own_steps[mode] = message["steps"].get<std::int64_t>();
      if (mode == kFast) one.spared = message["criteria"].get<Rejected>();
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
  return any_passes;
}

}  // namespace assay::mutate
