// A schedule as a sequence of decisions: which threadgroup goes on, and which of the values that it may give
// a load of an atomic gives. Where decisions come from: drawn from a seed (harness/simulator), explored
// (harness/simulator/exploration.hpp), or said beforehand, as those below.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::device {

/// What an operation by which threadgroups meet touches: an atomic object, by its address; or kFenceOrder.
struct Touch {
  std::uintptr_t address = 0;
  bool writes = false;
};
/// The one order in which sequentially consistent fences come.
inline constexpr std::uintptr_t kFenceOrder = 0;

/// A threadgroup that has begun and is set aside.
struct Waiting {
  std::uint64_t threadgroup = 0;  ///< its position in the grid, x fastest, or in the launch's sample
  /// False where it has looked again and again at what has not changed since.
  bool able = true;
  std::vector<Touch> touches = {};  ///< of the operation that it does as soon as it goes on
};

/// Threadgroups that the simulator has room for at a time, whatever a launch asks for.
inline constexpr std::uint32_t kMostInFlight = 64;

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

  /// A launch begins that asks from here on.
  virtual void begin_launch() {}
  /// Of `count` threadgroups, the one that begins as number `index`.
  virtual std::uint64_t begins(std::uint64_t index, std::uint64_t count) const {
    (void)count;
    return index;
  }
  /// Is the running threadgroup set aside ahead of an operation? It `synchronises` there: a fence, an atomic
  /// that reads and writes, a barrier over device memory.
  virtual bool sets_aside(bool synchronises) = 0;
  /// Are threadgroups set aside, and asked for with what they touch, ahead of every such operation but
  /// barriers, and for as long as what they look at does not change? Those that begin run to the first one.
  virtual bool step_by_step() const { return true; }
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

/// The decisions of a text:
/// - `one_by_one`, `backwards`: threadgroups begin in this order, each running as far as it can before the
///   next begins, and loads give what is newest;
/// - `0.1.1:2.0x5`: all begin; then threadgroup 0 does an operation, 1 does, 1 does a load that is late by
///   two values, 0 does five operations. Behind the last the first that can go on does so.
/// Throws std::invalid_argument, which says what is no such text.
std::unique_ptr<Decisions> decisions_of(std::string_view text);

/// One decision of the second kind of text.
struct Decision {
  std::uint64_t threadgroup = 0;
  std::size_t value = 0;
  bool operator==(const Decision&) const = default;
};
std::string to_text(std::span<const Decision> decisions);

}  // namespace assay::device
