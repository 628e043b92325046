#include "harness/fuzz/fuzz_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>
#include <memory>

#include "harness/fuzz/death_shrinking.hpp"
#include "harness/fuzz/finding_book.hpp"
#include "harness/fuzz/kernel_text.hpp"
#include "harness/process/interrupt.hpp"
#include "harness/process/pool.hpp"
#include "harness/run/mode_job.hpp"
#include "harness/verify/pace.hpp"

namespace assay::fuzz {
namespace {

using run::Mode;

/// Sizes of cases grow with their number up to
/// properties::kNominalSize: rounds walk through twice as many, so that half of them are of full size.
constexpr std::uint64_t kNumbers = 200;

/// A kernel that cannot be judged so often in a row (it does not compile, the device fails) is given up.
constexpr unsigned kMostErrors = 3;

/// Where a kernel is known to hang, the next case that does is stopped after this part of the timeout.
constexpr double kHangsAgain = 0.1, kLeastTimeout_s = 1;

/// The time is up.
struct Stopped {};

// A kernel, with what holds in all modes.
struct Kernel {
  KernelEntry entry;
  KernelText text;
  explicit Kernel(const KernelEntry& of) : entry(of), text(entry) {}
};

// A kernel in one mode.
struct Target {
  Kernel& kernel;
  Mode mode;
  Position at;
  unsigned errors = 0;                             // in a row
  bool over = false;                               // no case of it is to come
  std::uint64_t live = 0;                          // cases that have ended in the job that runs
  std::map<std::string, std::uint64_t> seen = {};  // cases by cause that it has counted

  const KernelEntry& entry() const { return kernel.entry; }
  TargetKey key() const { return {entry().manifest.string(), entry().name, std::string(run::name_of(mode))}; }
};

class Fuzzing {
 public:
  Fuzzing(const std::vector<const KernelEntry*>& entries, FindingsDirectory& directory,
          const FuzzOptions& options, const FuzzListener& listener)
      : directory_(directory), book_(directory), options_(options), listener_(listener), pool_(options.jobs) {
    for (const auto* entry : entries) {
      auto& kernel = *kernels_.emplace_back(std::make_unique<Kernel>(*entry));
      kernel.entry.claims.clear();  // no case changes what is counted of them: verify does that
      for (const Mode mode : run::kDefaultModes) {
        Target target{kernel, mode, {}};
        target.at = directory.state().positions[target.key()];
        targets_.push_back(std::move(target));
      }
    }
    // A run that was ended has not come round: those that are behind come first.
    targets_.sort([](const Target& a, const Target& b) { return a.at < b.at; });
  }

  FuzzStatus run() {
    for (auto& target : targets_) add(target);
    for (const auto& one : directory_.state().findings) add_shrinking(one);  // of a run that was ended
    try {
      pool_.run([&] { step(); });
    } catch (const Stopped&) {
      give_up();
    } catch (const process::Interrupted&) {
      give_up();
    }
    return status();
  }

 private:
  // What is under way ends here; what is behind it counts.
  void give_up() {
    for (auto& target : targets_) settle(target, target.live);
    directory_.save();
  }

  void add(Target& target) {
    target.over = options_.rounds && target.at.round >= *options_.rounds;
    if (target.over) return;
    target.kernel.text.refresh();
    run::VerifyOptions options;
    options.modes.assign(run::kDefaultModes.begin(), run::kDefaultModes.end());
    // Of numerics modes, which are asked half as many, as many as of the others.
    const std::uint64_t left = kCasesOfRound - target.at.done;
    options.cases = run::numerics_of(target.mode) == run::Numerics::strict ? left : 2 * left;
    options.device = options_.device;
    options.seed = directory_.state().seed + target.at.round;
    options.planned = options.designed = false;
    options.first_case = target.at.round * kCasesOfRound % kNumbers + target.at.done;
    options.timeout_s =
        book_.known_to_hang(target.key(), target.kernel.text.hash()) ? short_timeout() : options_.timeout_s;
    // In the process of the job: what is known when that starts.
    options.counted = [this, &target, known = std::optional<KnownCauses>()](
                          Verdict verdict, const std::string& cause,
                          const properties::Case& rejected) mutable {
      if (!known) known = book_.known(target.key(), target.kernel.text.hash());
      return known->counted(verdict, cause, rejected);
    };
    run::ModeListener listener;
    listener.at = [this, &target](std::uint64_t index, std::uint64_t) {
      target.live = index;
      current_ = fmt::format("{} {}", target.entry().name, run::name_of(target.mode));
      furthest_ = std::max(furthest_, target.at.round);
    };
    listener.counted = [&target](const std::string& cause) {
      ++target.seen[cause];
      ++target.live;  // nothing is left to do on that case
    };
    listener.ended = [this, &target](const run::ModeReport& report) { ended(target, report); };
    pool_.add(run::mode_job(target.entry(), target.mode, options, std::move(listener)));
  }

  double short_timeout() const {
    return std::min(options_.timeout_s, std::max(kLeastTimeout_s, kHangsAgain * options_.timeout_s));
  }

  void add_shrinking(const KeptFinding& finding) {
    const auto target = std::find_if(targets_.begin(), targets_.end(), [&](const auto& one) {
      return one.key() == std::tie(finding.manifest, finding.kernel, finding.mode) && current(finding);
    });
    if (finding.shrunk || target == targets_.end()) return;
    const auto ended = [this, target, finding](const std::optional<run::ModeReport>& report) {
      std::optional<KeptFinding> smallest;
      if (report) smallest = finding_of(target->entry(), target->mode, *report, finding.text);
      book_.shrunk(finding, smallest);
      directory_.save();
    };
    pool_.add(shrink_death(target->entry(), finding,
                           {.timeout_s = short_timeout(), .device = options_.device}, ended));
  }

  // A finding is on disk before anything else is done, and what is known of it before anybody is told.
  void ended(Target& target, const run::ModeReport& report) {
    const int judged = assay::exit_status(report.verdict);
    const std::uint64_t round = target.at.round;
    std::function<void()> tell;
    if (judged == 1) tell = keep(target, report);
    settle(target, report.cases_run);
    directory_.save();
    if (tell) tell();
    if (listener_.round_ended) listener_.round_ended(target.entry(), round, report);
    const bool failed = report.verdict == Verdict::error || report.verdict == Verdict::unsupported;
    target.errors = failed ? target.errors + 1 : 0;
    target.over = true;                 // unless it is added again
    if (report.same_as_strict) return;  // the code of strict arithmetic, which is run beside it
    if (report.verdict == Verdict::unsupported || target.errors == kMostErrors) {
      ++given_up_;
      if (listener_.given_up) {
        listener_.given_up(target.entry(), target.mode,
                           fmt::format("{}: {}", assay::name_of(report.verdict), report.summary));
      }
      return;
    }
    add(target);
  }

  // What is to be told of it; nothing where it is known.
  std::function<void()> keep(Target& target, const run::ModeReport& report) {
    target.kernel.text.refresh();
    auto found = finding_of(target.entry(), target.mode, report, target.kernel.text.hash());
    const auto news = book_.take(found);
    if (news == FindingBook::News::none) return {};
    add_shrinking(found);
    const bool fresh = news == FindingBook::News::fresh;
    fresh_ += fresh;
    return [found, tell = fresh ? listener_.found : listener_.found_again] {
      if (tell) tell(found);
    };
  }

  // So many cases of its round are done, and what was counted on them.
  void settle(Target& target, std::uint64_t cases) {
    for (const auto& [cause, count] : target.seen) book_.count(target.key(), cause, count);
    target.seen.clear();
    target.live = 0;
    target.at.advance(cases);
    cases_ += cases;
    directory_.state().cases += cases;
    directory_.state().positions[target.key()] = target.at;
  }

  // Is it of a kernel that is run, as its text is now?
  bool current(const KeptFinding& finding) const {
    return std::any_of(kernels_.begin(), kernels_.end(), [&](const auto& one) {
      return one->entry.manifest == finding.manifest && one->entry.name == finding.kernel &&
             one->text.hash() == finding.text;
    });
  }

  void step() {
    if (options_.time_s && clock_.seconds() >= *options_.time_s) throw Stopped{};
    if (listener_.step) listener_.step(status(), current_);
  }

  // Of what was asked for; 0 where the run has no end.
  double share(double seconds) const {
    double share = options_.time_s ? seconds / *options_.time_s : 0;
    if (!options_.rounds) return share;
    double done = static_cast<double>(cases_), left = 0;
    for (const auto& target : targets_) {
      done += static_cast<double>(target.live);
      if (target.over) continue;  // also one that was given up before its last round
      const std::uint64_t before = target.at.round * kCasesOfRound + target.at.done + target.live;
      left +=
          std::max(0.0, static_cast<double>(*options_.rounds * kCasesOfRound) - static_cast<double>(before));
    }
    return std::max(share, left == 0 ? 1 : done / (done + left));
  }

  FuzzStatus status() const {
    FuzzStatus status;
    status.cases = cases_;
    for (const auto& target : targets_) status.cases += target.live;
    status.seconds = clock_.seconds();
    status.kernels = kernels_.size();
    status.modes = run::kDefaultModes.size();
    status.round = furthest_;
    status.fresh = fresh_;
    for (const auto& one : directory_.state().findings) ++(current(one) ? status.findings : status.outdated);
    status.not_all_judged = given_up_ > 0 || targets_.empty();
    status.share = share(status.seconds);
    return status;
  }

  FindingsDirectory& directory_;
  FindingBook book_;
  const FuzzOptions& options_;
  const FuzzListener& listener_;
  std::vector<std::unique_ptr<Kernel>> kernels_;
  std::list<Target> targets_;
  Stopwatch clock_;
  std::uint64_t cases_ = 0, furthest_ = 0;
  std::size_t fresh_ = 0;
  std::string current_;
  std::size_t given_up_ = 0;  // targets
  process::Pool pool_;
};

}  // namespace

FuzzStatus fuzz(const std::vector<const KernelEntry*>& entries, FindingsDirectory& directory,
                const FuzzOptions& options, const FuzzListener& listener) {
  return Fuzzing(entries, directory, options, listener).run();
}

int exit_status(const FuzzStatus& status) {
  if (status.findings > 0) return 1;
  return status.not_all_judged ? 2 : 0;
}

}  // namespace assay::fuzz
