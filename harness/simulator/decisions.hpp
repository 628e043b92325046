// A schedule as a sequence of decisions: which threadgroup goes on, and which of the values that it may give
// a load of an atomic gives. They are drawn from a seed (drawn_decisions.hpp) or follow a plan
// (planned_decisions.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/device/planned_schedule.hpp"

namespace assay::simulator {

/// A threadgroup that has begun and is set aside.
struct Waiting {
  std::uint64_t threadgroup = 0;  ///< its position in the grid, x fastest, or in the launch's sample
  /// False where it has looked again and again at what has not changed since.
  bool able = true;
  std::vector<device::Touch> touches = {};  ///< of the operation that it does as soon as it goes on
};

struct Situation {
  std::span<const Waiting> aside;  ///< in the order in which they were set aside
  bool more = false;               ///< some threadgroups have not begun
  bool idle = false;               ///< for long nobody has changed anything
};

/// How long one simdgroup runs while the others of its threadgroup wait: until all its threads wait or have
/// ended, or have done so many atomic operations and fences.
struct Turn {
  std::size_t simdgroup = 0;  ///< of those that can go on, in the order of their numbers
  std::uint32_t operations = 1;
};

class Decisions {
 public:
  virtual ~Decisions() = default;

  /// Of `count` threadgroups, the one that begins as number `index`.
  virtual std::uint64_t begins(std::uint64_t index, std::uint64_t count) const = 0;
  /// Is the running threadgroup set aside ahead of an operation? It `synchronises` there: a fence, an atomic
  /// that reads and writes, a barrier over device memory.
  virtual bool sets_aside(bool synchronises) = 0;
  /// Are threadgroups set aside, and asked for with what they touch, ahead of every such operation but
  /// barriers, and for as long as what they look at does not change? Those that begin run to the first one.
  virtual bool step_by_step() const = 0;
  /// Are more in flight than those that wait for each other need? Then nothing is said of how many must be.
  virtual bool crowds() const { return false; }
  /// Who goes on: an index of `aside`; its size, for one that begins; or kNobody, which ends the launch.
  virtual std::size_t next(const Situation& situation) = 0;
  /// Does one simdgroup at a time run ahead of the others of its threadgroup? Otherwise each thread does one
  /// atomic operation or fence in turn.
  virtual bool runs_ahead() const { return false; }
  /// Which of `count` simdgroups that can go on runs ahead from here on, and for how long at most.
  virtual Turn turn(std::size_t count) {
    (void)count;
    return {};
  }
  /// A load of an atomic may give any of `count` values, at least 2, the newest first: which?
  virtual std::size_t value(std::size_t count) = 0;

  static constexpr std::size_t kNobody = ~std::size_t{0};
};

}  // namespace assay::simulator
