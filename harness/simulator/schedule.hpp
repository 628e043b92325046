// Which threadgroup runs next, where threadgroups meet: at atomics, fences and barriers over device memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "harness/simulator/compute_unit.hpp"

namespace assay::simulator {

/// Runs the threadgroups of one launch interleaved on the calling thread. The seed decides in which order
/// they begin - ascending for every other seed, since GPUs often do but do not promise it -, where one is set
/// aside and which one goes on; the same seed gives the same run, and 0 a plain one. Under every third seed
/// turns are few and long: one is mostly set aside where it synchronises, and then until all others have had
/// their turn, which finds what goes wrong between two such points (after Burckhardt et al., "A randomized
/// scheduler with probabilistic guarantees of finding bugs", 2010). One that polls is set
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

  /// Asked by a lane at a point where others may be let in: set its threadgroup aside? It `synchronises` with
  /// others there: a fence, a barrier, an atomic that reads and writes.
  bool interrupt(bool synchronises);
  /// A lane looks whether something has changed (an atomic that changes nothing). True when nothing ever
  /// will.
  bool poll();
  /// By how many of the last `changes` changes of an atomic a load is late that may be.
  std::uint64_t late_by(std::uint64_t changes);
  /// Something has changed: memory, a barrier opened, a thread ended.
  void progress() { idle_polls_ = 0; }

 private:
  std::uint64_t random();
  /// The `index`-th threadgroup to begin.
  std::uint64_t begins(std::uint64_t index) const;

  std::uint64_t state_;
  bool interleave_;
  bool long_turns_;
  std::uint64_t next_ = 0, count_;
  std::uint64_t first_ = 0, step_ = 1;  ///< threadgroups begin in steps, modulo their count
  std::uint64_t idle_polls_ = 0;
  std::size_t resident_limit_;
  std::vector<std::unique_ptr<ComputeUnit>>& units_;
  std::function<ComputeUnit::Progress(ComputeUnit&, std::uint64_t)> start_;
  std::vector<ComputeUnit*> aside_, free_;
  bool polled_ = false;  ///< the running threadgroup was set aside because it polls
};

}  // namespace assay::simulator
