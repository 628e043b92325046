// A schedule that is planned before its launch, and what was done in it: data, so that the launch may run in
// another process than the one that plans.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// Threadgroups that the simulator has room for at a time, whatever a launch asks for.
inline constexpr std::uint32_t kMostInFlight = 64;

/// Which threadgroup goes on, and how late a value its operation gets.
struct Decision {
  std::uint64_t threadgroup = 0;
  std::size_t value = 0;
  bool operator==(const Decision&) const = default;
};

struct SchedulePlan {
  enum class Order : std::uint8_t {
    one_by_one,  ///< threadgroups begin in this order, each running as far as it can before the next begins
    backwards,   ///< the same, the last one first
    zigzag,      ///< the same, in one of the orders of zigzag()
    lock_step,   ///< all begin, as far as there is room, and each in turn does one operation
    ahead,    ///< the same, but from its step `after` on `which` goes on whenever it can; so does the first
              ///< simdgroup of each
    behind,   ///< the same, but `which` goes on where no other can; so does the first simdgroup of each
    said,     ///< all begin; then those of `decisions` go on, and behind them the first that can
    explored  ///< the same, but behind them, of those that do not sleep, whoever went on last; recorded
  };
  Order order = Order::one_by_one;
  std::uint64_t which = 0;  ///< the threadgroup that is ahead or behind, or the number of the zigzag
  std::uint64_t after = 0;  ///< operations of `which` in its turn, before it is ahead or behind
  std::vector<Decision> decisions = {};
  /// Threadgroups, a bit each, that sleep behind `decisions`: nothing new comes of what they do next, until a
  /// step that it depends on.
  std::uint64_t asleep = 0;
  /// Do sequentially consistent fences depend on one another?
  bool fences_count = false;
};

/// A threadgroup does an operation, and what comes up to its next one.
struct Step {
  std::uint32_t threadgroup = 0;
  std::size_t value = 0, values = 1;  ///< which of so many values a load gave, the newest first
  std::vector<Touch> touches = {};
  std::uint64_t able = 0;   ///< threadgroups, a bit each, that could have gone on in its place
  std::uint64_t sleep = 0;  ///< and those that slept
};

/// What was done in the last launch, where its order is `explored`.
struct ScheduleRecord {
  std::vector<Step> steps = {};
  bool redundant = false;  ///< ended early, since all that could go on slept
  bool diverged = false;   ///< ended early: a decision named a threadgroup that could not go on
};

struct PlannedSchedule {
  /// Threadgroups that can be explored: their positions in the grid are below this.
  static constexpr std::uint64_t kMostExplored = 64;

  SchedulePlan plan = {};
  ScheduleRecord record = {};
};

/// Of `count` threadgroups, the one that begins as number `index` in zigzag `which`: which, which + 1,
/// which - 1, which + 2, ..., modulo count. Of an even count, each two are neighbours in one of the first
/// count / 2 zigzags (W. Walecki's paths, 1892).
std::uint64_t zigzag(std::uint64_t which, std::uint64_t index, std::uint64_t count);

/// The schedule of a text:
/// - `one_by_one`, `backwards`, `lock_step`, `ahead:3`, `behind:3`, `behind:3:2` (after two operations),
///   `zigzag:1`: loads give what is newest;
/// - `0.1.1:2.0x5`: threadgroup 0 does an operation, 1 does, 1 does a load that is late by two values, 0 does
///   five operations.
/// Throws std::invalid_argument, which says what is no such text.
PlannedSchedule schedule_of(std::string_view text);

/// Decisions as such a text.
std::string to_text(std::span<const Decision> decisions);

/// Do two operations depend on one another: does one write what the other touches?
bool dependent(std::span<const Touch> a, std::span<const Touch> b, bool fences_count);

}  // namespace assay::device
