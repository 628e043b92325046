// Where lanes wait for one another: threadgroup barriers, collectives, and what happens when nobody can go
// on.
#include "harness/simulator/rendezvous.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "harness/device/grouped.hpp"
#include "harness/simulator/checker.hpp"
#include "harness/simulator/counters.hpp"
#include "harness/simulator/schedule.hpp"

namespace assay::simulator {

const Lane* ComputeUnit::waiting_at(const Gate& gate) const {
  return std::find_if(lanes_, lanes_ + count_,
                      [&](const Lane& lane) { return lane.gate == &gate && lane.waits(); });
}

Lane& ComputeUnit::threadgroup_arrive(Lane& lane, std::uint32_t flags, CallSite site) {
  lane.wait = site;
  lane.gate = &gate_;
  lane.met = gate_.epoch;
  lane.at_barrier = true;
  if (arrived_ == 0) {
    site_ = site;
    flags_ = flags;
  } else {
    mixed_ |= site_.line != site.line;
    flags_ &= flags;
  }
  if (++arrived_ == expected_) {
    complete_threadgroup();
    polls_ = 0;
    if (launch_->schedule != nullptr) launch_->schedule->barrier_opened();
    if (launch_->schedule != nullptr && !lanes_->waits() &&
        launch_->schedule->interrupt_at_barrier((flags & 1) != 0)) {
      aside_ = lanes_;
      return main_;
    }
    if (!lanes_->waits()) return *lanes_;  // lane 0 first
  }
  return begin(lane.next->waits() ? next_able(lane) : lane.next);
}

void ComputeUnit::complete_threadgroup() {
  if ((expected_ != count_ || mixed_) && !faulted_lane_) {
    report_divergence();
  }
  if (launch_->checker != nullptr) {
    compare_matrix_operations(site_);
    compare_group_operations(site_);
    launch_->checker->threadgroup_barrier(flags_, site_);
  }
  if (launch_->counters != nullptr) launch_->counters->threadgroup_barrier(*this);
  arrived_ = 0;
  mixed_ = false;
  ahead_ = nullptr;
  ++gate_.epoch;
}

const void* ComputeUnit::collective(Lane& lane, const void* value, std::uint32_t size, std::uint64_t* active,
                                    CallSite site) {
  settle(lane);
  auto& group = *lane.simdgroup;
  std::memcpy(group.values[lane.view.index_in_simdgroup].data(), value, std::min<std::uint32_t>(size, 64));
  group.value_bytes = std::min<std::uint32_t>(size, 64);
  resume(lane, arrive(lane, site, false, 0));
  lane.operand = kNoOperand;
  *active = group.active;
  return group.results.data();
}

void ComputeUnit::note_first(Meeting& meeting, const Lane& lane, std::uint32_t flags) {
  const assay_lane_t& view = lane.view;
  meeting = {1,       flags,           lane.wait, view.matrix_arguments, view.matrix_operations, 0,
             nullptr, lane.at_barrier, false};
}

void ComputeUnit::wait_for_early(Lane& lane) {
  lane.gate = &lane.simdgroup->gate;
  lane.met = lane.simdgroup->gate.epoch;
  Lane* next = next_able(lane);
  if (next != &lane) switch_to(lane, begin(next));
}

void ComputeUnit::complete_simdgroup(Simdgroup& group) {
  const Meeting& now = group.now;
  if (now.is_barrier) {
    if (group.expected != group.size && !faulted_lane_) report_divergence(group);
    if (launch_->checker != nullptr) {
      if (now.odd_one != nullptr) {
        report_matrix_operations(*now.odd_one, now.matrix_operations, now.odd_operations, now.site);
      }
      launch_->checker->simdgroup_barrier(group, now.flags, now.site);
    } else if (launch_->counters != nullptr) {
      launch_->counters->simdgroup_barrier(*this, group);
    }
  } else {
    std::uint64_t active = 0;
    for (std::uint32_t i = 0; i < group.size; ++i) {
      const Lane& lane = group.first[i];
      if (lane.gate == &group.gate && lane.waits()) active |= std::uint64_t{1} << i;
    }
    gather(group, active);
  }
  group.now = std::exchange(group.next, {});
  ++group.gate.epoch;
  polls_ = 0;
}

void ComputeUnit::gather(Simdgroup& group, std::uint64_t active) {
  compare_operands(group, active);
  group.active = active;
  const auto size = group.value_bytes;
  for (std::uint32_t i = 0; i < kWidth; ++i) {
    unsigned char* to = group.results.data() + std::size_t{i} * size;
    if (active >> i & 1) {
      std::memcpy(to, group.values[i].data(), size);
    } else {
      for (std::uint32_t b = 0; b < size; ++b)
        to[b] = b % 2 == 0 ? device::kInactiveLane & 0xFF : device::kInactiveLane >> 8;
    }
  }
}

void ComputeUnit::note_inactive_read(const Lane& lane, std::uint32_t from, CallSite site) {
  if (std::find(inactive_sites_.begin(), inactive_sites_.end(), site) != inactive_sites_.end()) return;
  inactive_sites_.push_back(site);
  const std::uint32_t thread = lane.view.index_in_threadgroup;
  device::InactiveRead read;
  read.read.what = name_of(thread);
  read.read.place = {site.file, site.line};
  read.lane = from;
  read.order = position_.x +
               launch_->threadgroups.x * (position_.y + std::uint64_t{launch_->threadgroups.y} * position_.z);
  launch_->faults->add_inactive_read(std::move(read));
}

// Lanes of a simdgroup that took different ways may each meet at a collective of their own: those that wait
// at one place form the active set. Releases the set of the lowest waiting lane.
bool ComputeUnit::release_collectives(Simdgroup& group) {
  const auto waits = [&](const Lane& lane) {
    return lane.gate == &group.gate && lane.waits() && !lane.at_barrier;
  };
  const Lane* leader = std::find_if(group.first, group.first + group.size, waits);
  if (leader == group.first + group.size) return false;
  std::uint64_t active = 0;
  for (std::uint32_t i = 0; i < group.size; ++i) {
    if (waits(group.first[i]) && group.first[i].wait == leader->wait) active |= std::uint64_t{1} << i;
  }
  gather(group, active);
  for (std::uint32_t i = 0; i < group.size; ++i) {
    if ((active >> i & 1) == 0) continue;
    group.first[i].gate = &open_;
    group.first[i].met = 0;
    --group.now.arrived;
  }
  // Whoever still waits was left behind; the others will find it waiting elsewhere than they do.
  group.now.mixed = group.now.arrived != 0;
  return true;
}

// Nobody can run. Collectives of part of a simdgroup go ahead; a barrier that not everybody reaches is the
// end of the threadgroup. Null when there is nothing left to run.
Lane* ComputeUnit::resolve() {
  if (expected_ == 0) return nullptr;
  for (std::uint32_t g = 0; g < group_count_; ++g) {
    if (groups_[g].now.arrived != 0 && release_collectives(groups_[g])) return first_able();
  }
  for (std::uint32_t g = 0; g < group_count_ && !faulted_lane_; ++g) {
    if (groups_[g].now.arrived != 0) report_divergence(groups_[g]);
  }
  if (arrived_ != 0 && !faulted_lane_) report_divergence();
  abandoned_ = true;
  return nullptr;
}

void ComputeUnit::meet(Lane& lane, const Operation& operation) {
  lane.wait = operation.site;
  const std::uint32_t own = lane.view.index_in_threadgroup;
  if (!operation.is_fence()) spins_.meets(own, operation.site);
  if (launch_->schedule->runs_ahead() && !spins_.looks_again(own)) {
    run_ahead(lane);
  } else {
    ahead_ = nullptr;  // it may wait for anybody
    let_others_go(lane, spins_.spins(own) && launch_->schedule->only_waits(operation.site));
  }
  if (operation.device_memory && launch_->schedule->interrupt(lane, operation)) set_aside(lane);
}

// In turn, each as far as its next operation.
void ComputeUnit::let_others_go(Lane& lane, bool spins) {
  for (std::uint32_t i = 1; i < count_; ++i) {
    Lane& other = lanes_[(lane.view.index_in_threadgroup + i) % count_];
    if (other.waits() || (spins && need_not_go_on(other, lane))) continue;
    return switch_to(lane, other);
  }
}

// Threads of other simdgroups wait ahead of their operations until the turn of this one is over. Its own go
// on in turn.
void ComputeUnit::run_ahead(Lane& lane) {
  for (;;) {
    Lane* able = ahead_ == nullptr || turn_left_ == 0 ? nullptr : able_lane(*ahead_);
    if (able == nullptr) {
      draw_turn();
      able = able_lane(*ahead_);
    }
    if (ahead_ == lane.simdgroup) break;
    switch_to(lane, *able);
  }
  --turn_left_;
  for (Lane* other = lane.next; other != &lane; other = other->next) {
    if (!other->waits()) return switch_to(lane, *other);
  }
}

void ComputeUnit::draw_turn() {
  std::array<const Simdgroup*, kMaxSimdgroups> able;
  std::size_t count = 0;
  for (std::uint32_t g = 0; g < group_count_; ++g) {
    if (able_lane(groups_[g]) != nullptr) able[count++] = &groups_[g];
  }
  const Turn turn = launch_->schedule->turn(count);
  ahead_ = able[turn.simdgroup];
  turn_left_ = turn.operations;
}

Lane* ComputeUnit::able_lane(const Simdgroup& group) {
  Lane* const end = group.first + group.size;
  Lane* const able = std::find_if(group.first, end, [](const Lane& lane) { return !lane.waits(); });
  return able == end ? nullptr : able;
}

bool ComputeUnit::need_not_go_on(const Lane& other, const Lane& before) const {
  return other.simdgroup == before.simdgroup &&
         spins_.is_past(other.view.index_in_threadgroup, before.view.index_in_threadgroup);
}

// What a lane that spins waits for in vain, in words.
std::string ComputeUnit::awaited(const Lane& lane, const Operation& operation) const {
  for (const Lane* other = lane.next; other != &lane; other = other->next) {
    if (!other->waits() && need_not_go_on(*other, lane))
      return "another thread of their simdgroup, which may not run until they have stopped waiting";
  }
  const Schedule& schedule = *launch_->schedule;
  if (const std::uint64_t others = schedule.not_begun(); others > 0 && operation.device_memory) {
    return fmt::format(
        "a change that none of the {} threadgroups in flight makes. {} more begin only when one of these "
        "ends",
        device::grouped(schedule.in_flight()), device::grouped(others));
  }
  return "a change that no thread is left to make";
}

// A lane that only looks may wait for another threadgroup: after a while those get their turn.
void ComputeUnit::met(Lane& lane, const Operation& operation, std::uint64_t value, bool changed) {
  spins_.met(lane.view.index_in_threadgroup, value, changed);
  if (changed) return note_progress();
  const CallSite site = operation.site;
  const auto poll = launch_->schedule->poll(operation, value, ++polls_ <= count_ * 4);
  if (poll == Schedule::Poll::hopeless) {
    launch_->faults->add(device::FaultKind::deadlock, site.line, [&] {
      device::Fault fault;
      fault.place = {site.file, site.line};
      fault.message = "threads wait here for " + awaited(lane, operation);
      fault.accesses.push_back({name_of(lane.view.index_in_threadgroup) + " polls", fault.place});
      return fault;
    });
    launch_->schedule->given_up();
    abandoned_ = true;
    switch_to(lane, main_);
  }
  if (poll == Schedule::Poll::others) set_aside(lane);
}

}  // namespace assay::simulator
