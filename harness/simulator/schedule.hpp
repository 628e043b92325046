// Which threadgroup runs next, where threadgroups meet: at atomics, fences and barriers over device memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/simulator/compute_unit.hpp"
#include "harness/simulator/decisions.hpp"

namespace assay::simulator {

/// Runs the threadgroups of one launch interleaved on the calling thread, as `decisions` say. One that polls
/// is set aside until the others have had their turn; when all poll and nothing changes any more, that is a
/// deadlock.
///
/// Where decisions go step by step, a threadgroup that does over and over what changes nothing, and sees each
/// time what it saw before, waits: it is not able to go on until somebody changes something that it looks at.
/// When somebody has, it needed both to be in flight at once: needs_residency, unless the launch allows as
/// many.
class Schedule {
 public:
  /// `start(unit, i)` begins threadgroup i of `count` on a unit. `units` grows as more are set aside at a
  /// time.
  Schedule(Decisions& decisions, std::uint64_t count, std::vector<std::unique_ptr<ComputeUnit>>& units,
           std::function<ComputeUnit::Progress(ComputeUnit&, std::uint64_t)> start);

  /// False if a threadgroup had to be given up, or nobody was to go on.
  bool run();
  /// Adds what the run has shown of threadgroups that wait for others.
  void report(std::uint32_t resident_threadgroups, FaultLog& faults) const;

  /// Asked when all threads of a threadgroup have come to a barrier: set it aside?
  bool interrupt_at_barrier(bool device_memory);
  /// Asked by a lane ahead of an operation: set its threadgroup aside?
  bool interrupt(const Lane& lane, const Operation& operation);
  /// A lane has done an operation that changed nothing, and was given `value`. `hopeless` when nothing ever
  /// will change; else `others` when others should have their turn.
  enum class Poll { goes_on, others, hopeless };
  Poll poll(const Operation& operation, std::uint64_t value, bool patient);
  /// Which of the `changes + 1` latest values of an atomic a load gives: by how many changes it is late.
  /// `value(n)` is the one that is late by n.
  std::uint64_t late_by(std::uint64_t changes, const std::function<std::uint64_t(std::uint64_t)>& value);
  /// The same of an atomic in threadgroup memory; not late where decisions go step by step, of which each is
  /// one about threadgroups that meet.
  std::uint64_t local_late_by(std::uint64_t changes);
  /// Does a weak exchange fail now, without a reason? Not where decisions go step by step.
  bool fails_weakly() { return !step_by_step_ && (decisions_.value(2) != 0 || decisions_.value(2) != 0); }
  /// Whether the loop around an atomic operation does nothing but wait (metal::only_waits()).
  bool only_waits(const CallSite& site);
  /// Does one simdgroup at a time run ahead of the others of its threadgroup, and whose turn is it?
  bool runs_ahead() const { return runs_ahead_; }
  Turn turn(std::size_t count) { return decisions_.turn(count); }
  /// All threads of a threadgroup have come to a barrier.
  void barrier_opened();
  /// Threadgroups that have begun and not ended, and those that have not begun.
  std::uint64_t in_flight() const { return aside_.size() + 1; }
  std::uint64_t not_begun() const { return count_ - next_; }
  /// A threadgroup is given up that waits for ever. Others might have ended that, had there been room for
  /// them.
  void given_up() { lacked_room_ |= not_begun() > 0 && in_flight() >= device::kMostInFlight; }
  bool lacked_room() const { return lacked_room_; }
  /// Something has changed: memory, or a thread has ended.
  void progress();

 private:
  /// Thread, place and object.
  using Look = std::tuple<std::uint32_t, std::uint32_t, std::uintptr_t>;
  struct Seen {
    std::uint64_t value = 0;
    std::uint32_t size_bytes = 0;
    std::uint32_t times = 1;
  };
  /// A threadgroup that has begun.
  struct Flight {
    ComputeUnit* unit = nullptr;
    std::uint64_t threadgroup = 0;
    Look look = {};                  ///< the operation that it does next, or does
    std::map<Look, Seen> seen = {};  ///< since it last changed something
    std::uint32_t again = 0;         ///< looks at what it had seen before
    bool waits = false;
    CallSite site = {};  ///< where
    std::vector<device::Touch> touches = {};
  };

  static bool has_news(const Flight& flight);
  bool repeats() const;
  void note_touches(const Operation& operation);
  void wake(const Flight* runner_that_ended);

  Decisions& decisions_;
  bool step_by_step_;
  bool runs_ahead_;
  std::uint64_t next_ = 0, count_;
  std::uint64_t idle_polls_ = 0;
  std::vector<std::unique_ptr<ComputeUnit>>& units_;
  std::function<ComputeUnit::Progress(ComputeUnit&, std::uint64_t)> start_;
  std::vector<ComputeUnit*> free_;
  std::vector<Flight> aside_;
  Flight running_;
  bool lacked_room_ = false;
  std::uint32_t needed_ = 1;  ///< most threadgroups in flight of which one waited for another
  CallSite needed_at_ = {};
  std::vector<std::pair<CallSite, bool>> waits_;  ///< places that were asked for
};

}  // namespace assay::simulator
