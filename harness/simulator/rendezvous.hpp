// The paths that lanes take from one to the next at a simdgroup barrier, kept short: most switches of a
// kernel are these.
#pragma once

#include "harness/simulator/compute_unit.hpp"

namespace assay::simulator {

// Leaves `from` where it is and goes on with `to`; returns when somebody switches back to `from`.
inline void ComputeUnit::switch_to(Lane& from, Lane& to) {
  if (&to != &main_ && !to.begun()) [[unlikely]]
    start_fiber(to);
  assay_lane = &to.view;
  const auto back = boost::context::detail::jump_fcontext(to.view.context, &from.view);
  static_cast<assay_lane_t*>(back.data)->context = back.fctx;
}

// The lane that a kernel's code is to resume: it cannot begin a lane itself.
inline Lane& ComputeUnit::begin(Lane* next) {
  if (next == nullptr) return main_;
  if (!next->begun()) [[unlikely]]
    start_fiber(*next);
  return *next;
}

inline void ComputeUnit::resume(Lane& lane, Lane& to) {
  if (&to != &lane) switch_to(lane, to);
}

inline void ComputeUnit::note_arrival(Meeting& meeting, Lane& lane, CallSite site, bool is_barrier,
                                      std::uint32_t flags) {
  lane.wait = site;
  lane.at_barrier = is_barrier;
  if (meeting.arrived++ == 0) return note_first(meeting, lane, flags);
  if (meeting.site.line != site.line || meeting.is_barrier != is_barrier) [[unlikely]]
    meeting.mixed = true;
  meeting.flags &= flags;
  const assay_lane_t& view = lane.view;
  if (meeting.matrix_operations != view.matrix_operations ||
      meeting.matrix_arguments != view.matrix_arguments) [[unlikely]] {
    meeting.odd_one = &lane;
    meeting.odd_operations = view.matrix_operations;
  }
}

// The common path of a simdgroup: lanes arrive one after the other, the last one lets them all go on, and
// the first goes on first.
inline Lane& ComputeUnit::arrive(Lane& lane, CallSite site, bool is_barrier, std::uint32_t flags) {
  auto& group = *lane.simdgroup;
  Lane* next = lane.next;
  lane.gate = &group.gate;
  if (lane.early == group.gate.epoch + 1) {  // the barrier before this one has not opened yet
    note_arrival(group.next, lane, site, is_barrier, flags);
    lane.met = group.gate.epoch + 1;
  } else {
    note_arrival(group.now, lane, site, is_barrier, flags);
    lane.met = group.gate.epoch;
    if (group.now.arrived == group.expected && !group.now.mixed) {
      complete_simdgroup(group);
      next = group.first;
    }
  }
  if (next->waits()) [[unlikely]]
    next = lane.waits() ? next_able(lane) : &lane;
  return begin(next);
}

inline Lane& ComputeUnit::simdgroup_arrive(Lane& lane, std::uint32_t flags, CallSite site) {
  return arrive(lane, site, true, flags);
}

// Waits for a barrier that the lane passed early, where what comes is no simdgroup barrier.
inline void ComputeUnit::settle(Lane& lane) {
  if (lane.early == lane.simdgroup->gate.epoch + 1) [[unlikely]]
    wait_for_early(lane);
}

inline void ComputeUnit::simdgroup_arrive_early(Lane& lane, std::uint32_t flags, CallSite site) {
  auto& group = *lane.simdgroup;
  settle(lane);
  note_arrival(group.now, lane, site, true, flags);
  lane.early = group.gate.epoch + 1;
  if (group.now.arrived == group.expected && !group.now.mixed) complete_simdgroup(group);
}

}  // namespace assay::simulator
