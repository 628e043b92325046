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
#include <vector>

#include "harness/device/planned_schedule.hpp"

namespace assay::simulator {

class Exploration {
 public:
  Exploration() { plan(); }

  /// What the next launch takes, and fills in with what was done.
  device::PlannedSchedule& schedule() { return schedule_; }

  /// After a launch, once: prepares the next. False when there is none: all have been explored.
  bool advance();

  /// The launch was ended early, since an equivalent one had been run. What it left means nothing.
  bool redundant() const { return schedule_.record.redundant; }
  /// The launch did not do again what it had done before, given the same decisions: nothing can be explored.
  bool diverged() const;
  /// Launches that ran to their end, up to the last advance().
  std::uint64_t schedules() const { return schedules_; }
  /// The decisions of the last launch, as device::schedule_of() takes them.
  std::vector<device::Decision> decisions() const;

 private:
  using Set = std::uint64_t;  ///< of threadgroups

  struct Step : device::Step {
    Set plan = 0;                            ///< to be run from here
    Set done = 0;                            ///< of those, with all values
    std::vector<std::uint32_t> before = {};  ///< by threadgroup: its last step that comes before, from 1
  };

  static Set bit(std::uint64_t threadgroup) { return Set{1} << threadgroup; }
  bool ordered(std::size_t first, std::size_t second) const;
  void take_record();
  void plan();
  bool advance_path();
  void plan_reversals();
  void plan_reversal(std::size_t first, std::size_t second);

  device::PlannedSchedule schedule_;
  std::vector<Step> path_;     ///< those that the next launch does again, or, behind one, all that it did
  bool order_fences_ = false;  ///< some load has been seen: the order of fences matters
  std::uint64_t schedules_ = 0;
};

}  // namespace assay::simulator
