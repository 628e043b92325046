// Jobs in processes of their own, several at a time: who starts them, hears them, stops them and buries them.
#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/process/child.hpp"
#include "harness/process/idle_timer.hpp"
#include "harness/process/slots.hpp"

namespace assay::process {

/// How a job ended.
struct JobEnd {
  std::optional<Death> death = {};  ///< the process did not exit with status 0
  bool late = false;         ///< it was stopped: it said nothing for too long, or used up its processor time
  std::string failure = {};  ///< what the job itself threw; empty: nothing
  double seconds = 0;        ///< from its start

  bool clean() const { return !death && !late && failure.empty(); }
  /// By somebody else: it is no fault of what ran.
  bool killed() const { return death && death->killed() && !late; }
};

/// A piece of work for a process of its own. All but `work` is called in the process that waits.
struct Job {
  /// Runs in the child.
  std::function<void(const Reporter&)> work;
  /// Gets each message; false: that was the last one that matters.
  std::function<bool(const nlohmann::json&)> hear = [](const nlohmann::json&) { return true; };
  /// Called once, when the process is gone. May add jobs to the pool.
  std::function<void(const JobEnd&)> ended = [](const JobEnd&) {};
  /// Where it is there and somebody else kills the process (Death::killed), the job is run once more, and
  /// this is called first: nothing is left of what was heard.
  std::function<void()> again = {};
  /// Stopped when it has said nothing for so long; asked for again after each message.
  double idle_limit_s = std::numeric_limits<double>::infinity();
  /// Before its first message, also when it and what it has started have used so much processor time; 0: no.
  double start_limit_s = 0;
  /// Stopped when it has run a kernel for so much processor time without a message.
  double processor_limit_s = std::numeric_limits<double>::infinity();
  Trust trust = Trust::whole;
};

/// Runs jobs in the order in which they were added. What a callback throws ends the run, and kills what runs.
class Pool {
 public:
  /// At most so many at a time.
  explicit Pool(unsigned jobs);
  /// Each while it has one of these slots, which other processes may share.
  explicit Pool(const Slots& slots);

  void add(Job job) { waiting_.push_back(std::move(job)); }

  /// Until no job waits or runs. `step` is called between messages, about `kPoll_ms` apart or more often.
  /// Asked to end (interrupt.hpp), it kills what runs and throws Interrupted.
  void run(const std::function<void()>& step = {});

 private:
  struct Running {
    Job job;
    std::optional<Slot> slot;
    Child child;
    IdleTimer idle = {};
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
    JobEnd end = {};
    bool enough = false;
    bool heard = false;
  };

  void end_if_interrupted();
  void start();
  void wait() const;
  bool listen(Running& one);
  static bool is_silent(Running& one);

  unsigned jobs_;
  const Slots* slots_ = nullptr;
  std::list<Job> waiting_;
  std::list<Running> running_;
};

/// One job by itself.
void run_job(Job job);

}  // namespace assay::process
