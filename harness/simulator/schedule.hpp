// Which threadgroup runs next, where threadgroups meet: at atomics, fences and barriers over device memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "harness/simulator/compute_unit.hpp"

namespace assay::simulator {

/// Runs the threadgroups of one launch interleaved on the calling thread. The seed decides where a
/// threadgroup is set aside and which one goes on; the same seed gives the same run. One that polls is set
/// aside until the others have had their turn; when all poll and nothing changes any more, that is a
/// deadlock.
class Schedule {
 public:
  /// `start(unit, i)` begins threadgroup i of `count` on a unit. `units` grows as more are set aside at a
  /// time.
  Schedule(std::uint64_t seed, std::uint64_t count, std::vector<std::unique_ptr<ComputeUnit>>& units,
           std::function<ComputeUnit::Progress(ComputeUnit&, std::uint64_t)> start);

  /// False if a threadgroup had to be given up.
  bool run();

  /// Asked by a lane at a point where others may be let in: set its threadgroup aside?
  bool interrupt();
  /// A lane looks whether something has changed (an atomic that changes nothing). True when nothing ever
  /// will.
  bool poll();
  /// Something has changed: memory, a barrier opened, a thread ended.
  void progress() { idle_polls_ = 0; }

 private:
  std::uint64_t random();
  std::size_t choose();

  std::uint64_t state_;
  bool interleave_;
  std::uint64_t next_ = 0, count_;
  std::uint64_t idle_polls_ = 0;
  std::size_t resident_limit_;
  std::vector<std::unique_ptr<ComputeUnit>>& units_;
  std::function<ComputeUnit::Progress(ComputeUnit&, std::uint64_t)> start_;
  std::vector<ComputeUnit*> aside_, free_;
  bool polled_ = false;  ///< the running threadgroup was set aside because it polls
};

}  // namespace assay::simulator
