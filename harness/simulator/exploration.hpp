// All schedules of a launch, up to equivalence: dynamic partial-order reduction, by running the launch again
// and again.
//
// A step is an operation by which threadgroups meet, with what its threadgroup does up to the next. Two steps
// of different threadgroups are dependent if they touch the same and one writes; schedules that differ only
// in the order of neighbours that are not dependent are equivalent, and one of them is enough. Of the others
// each is run once: behind every launch, for each two dependent steps that could have come the other way
// round, a launch is planned in which they do (source sets), and what has been explored sleeps until
// something dependent wakes it (sleep sets). (Abdulla, Aronis, Jonsson, Sagonas, "Optimal dynamic partial
// order reduction", 2014; Flanagan, Godefroid, "Dynamic partial-order reduction for model checking software",
// 2005.) Each value that a load may give is a branch too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/device/decisions.hpp"

namespace assay::simulator {

class Exploration final : public device::Decisions {
 public:
  /// Threadgroups of the launch: their positions are below this.
  static constexpr std::uint64_t kMostThreadgroups = 64;

  void begin_launch() override;
  bool sets_aside(bool) override { return true; }
  std::size_t next(const device::Situation& situation) override;
  std::size_t value(std::size_t count) override;

  /// After a launch, once: prepares the next. False when there is none: all have been explored.
  bool advance();

  /// The launch was ended early, since an equivalent one had been run. What it left means nothing.
  bool redundant() const { return redundant_; }
  /// The launch did not do again what it had done before, given the same decisions: nothing can be explored.
  bool diverged() const { return diverged_; }
  /// Launches that ran to their end, up to the last advance().
  std::uint64_t schedules() const { return schedules_; }
  /// The decisions of the last launch, as device::decisions_of() takes them.
  std::vector<device::Decision> decisions() const;

 private:
  using Set = std::uint64_t;  ///< of threadgroups

  struct Step {
    std::uint32_t threadgroup = 0;
    std::size_t value = 0, values = 1;
    std::vector<device::Touch> touches = {};
    Set able = 0;                            ///< ahead of it
    Set plan = 0;                            ///< to be run from here
    Set done = 0;                            ///< of those, with all values
    Set sleep = 0;                           ///< that need not be run from here
    std::vector<std::uint32_t> before = {};  ///< by threadgroup: its last step that comes before, from 1
  };

  static Set bit(std::uint64_t threadgroup) { return Set{1} << threadgroup; }
  bool dependent(const std::vector<device::Touch>& a, const std::vector<device::Touch>& b) const;
  bool ordered(std::size_t first, std::size_t second) const;
  Set sleeping(const device::Situation& situation) const;
  void plan_reversals();
  void plan_reversal(std::size_t first, std::size_t second);

  std::vector<Step> path_;
  std::size_t depth_ = 0;    ///< steps of this launch so far
  std::size_t planned_ = 0;  ///< of them, those that are run again
  bool forced_ = false;      ///< nobody was able: no step
  bool redundant_ = false, diverged_ = false;
  bool loads_ = false;         ///< some load has been seen: the order of fences matters
  bool order_fences_ = false;  ///< as it was when the exploration began
  std::uint64_t schedules_ = 0;
};

}  // namespace assay::simulator
