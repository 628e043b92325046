#include "harness/simulator/compute_unit.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#include "harness/simulator/address_space.hpp"
#include "harness/simulator/checker.hpp"
#include "harness/simulator/counters.hpp"
#include "harness/simulator/schedule.hpp"

extern "C" {
__thread assay_lane_t* assay_lane = nullptr;
__thread char* assay_threadgroup_memory = nullptr;
}

namespace assay::simulator {
namespace {

namespace context = boost::context::detail;

// A stack: 256 KiB and an unbacked page below it. Tops are staggered, so that the lanes' frames do not all
// fall into the same cache sets.
constexpr std::size_t kStackBytes = 256 * 1024;
constexpr std::size_t kStackPitch = kStackBytes + 4096;
constexpr std::size_t kMaxBound = 64;

std::size_t stagger(std::size_t i) { return i * 192 % 4096; }

constexpr std::size_t aligned(std::size_t n) { return (n + 4095) / 4096 * 4096; }
constexpr std::size_t kLanesBytes = aligned(sizeof(Lane) * kMaxThreads);
constexpr std::size_t kGroupsBytes = aligned(sizeof(Simdgroup) * kMaxSimdgroups);
constexpr std::size_t kHeaderBytes = kLanesBytes + kGroupsBytes + 4096;
constexpr std::size_t kUnitBytes = kHeaderBytes + kStackPitch * kMaxThreads;

}  // namespace

ComputeUnit::ComputeUnit() {
  void* got =
      mmap(nullptr, kUnitBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) throw device::DeviceError("no memory for the stacks of a compute unit");
  memory_ = static_cast<std::byte*>(got);
  memory_begin_ = reinterpret_cast<std::uintptr_t>(memory_);
  memory_bytes_ = kUnitBytes;
  lanes_ = reinterpret_cast<Lane*>(memory_);
  groups_ = reinterpret_cast<Simdgroup*>(memory_ + kLanesBytes);
  arguments_ = reinterpret_cast<metal::EntryArguments*>(memory_ + kLanesBytes + kGroupsBytes);
  bound_ = reinterpret_cast<void**>(arguments_ + 1);
  stacks_ = memory_ + kHeaderBytes;
  window_ = AddressSpace::instance().acquire_window();
}

ComputeUnit::~ComputeUnit() {
  AddressSpace::instance().release_window(window_);
  munmap(memory_, kUnitBytes);
}

void ComputeUnit::prepare(const Launch& launch, device::Size3 position) {
  const auto threads = launch.threads;
  // The last threadgroups of a grid given in threads are cut to what is left of it.
  const auto left = [](std::uint32_t total, std::uint32_t at, std::uint32_t size) {
    return std::min(size, total - at * size);
  };
  const device::Size3 size = {left(launch.grid_threads.x, position.x, threads.x),
                              left(launch.grid_threads.y, position.y, threads.y),
                              left(launch.grid_threads.z, position.z, threads.z)};
  launch_ = &launch;
  position_ = position;
  count_ = size.x * size.y * size.z;
  group_count_ = (count_ + kWidth - 1) / kWidth;
  expected_ = count_;
  arrived_ = 0;
  mixed_ = faulted_lane_ = abandoned_ = false;
  aside_ = nullptr;
  polls_ = 0;
  for (std::uint32_t g = 0; g < group_count_; ++g) {
    auto& group = groups_[g];
    group.index = g;
    group.first = lanes_ + g * kWidth;
    group.size = group.expected = std::min(kWidth, count_ - g * kWidth);
    group.gate.epoch = 0;
    group.arrived = group.arrived_next = 0;
    group.mixed = false;
    group.synchronised = {0, 0};
  }
  std::uint32_t i = 0;
  for (std::uint32_t z = 0; z < size.z; ++z) {
    for (std::uint32_t y = 0; y < size.y; ++y) {
      for (std::uint32_t x = 0; x < size.x; ++x, ++i) {
        Lane& lane = lanes_[i];
        Simdgroup& group = groups_[i / kWidth];
        lane.simdgroup = &group;
        lane.next = i % kWidth + 1 == group.size ? group.first : &lane + 1;
        lane.unit = this;
        lane.gate = &open_;
        lane.met = 0;
        lane.early = 0;
        lane.done = false;
        lane.view = {{position.x * threads.x + x, position.y * threads.y + y, position.z * threads.z + z},
                     {x, y, z},
                     {position.x, position.y, position.z},
                     {size.x, size.y, size.z},
                     {launch.threadgroups.x, launch.threadgroups.y, launch.threadgroups.z},
                     {launch.grid_threads.x, launch.grid_threads.y, launch.grid_threads.z},
                     i,
                     i % kWidth,
                     i / kWidth,
                     group_count_,
                     0,
                     0,
                     nullptr,
                     0,
                     {}};
      }
    }
  }
  const std::size_t buffers = std::min(launch.buffers.size(), kMaxBound);
  std::copy_n(launch.buffers.begin(), buffers, bound_);
  for (std::size_t t = 0; t < std::min(launch.threadgroup_offsets.size(), kMaxBound); ++t) {
    bound_[kMaxBound + t] = window_ + launch.threadgroup_offsets[t];
  }
  *arguments_ = {bound_, bound_ + kMaxBound};
}

ComputeUnit::Progress ComputeUnit::run(const Launch& launch, device::Size3 position) {
  prepare(launch, position);
  assay_threadgroup_memory = reinterpret_cast<char*>(window_);
  if (launch.checker != nullptr) launch.checker->begin_threadgroup(*this);
  if (launch.counters != nullptr) launch.counters->begin_threadgroup(*this);
  free_stacks_.clear();
  for (std::uint32_t s = count_; s-- > 0;) free_stacks_.push_back(s);
  switch_to(main_, lanes_[0]);
  return state();
}

ComputeUnit::Progress ComputeUnit::go_on() {
  assay_threadgroup_memory = reinterpret_cast<char*>(window_);
  if (launch_->checker != nullptr) launch_->checker->go_on_with(*this);
  switch_to(main_, *std::exchange(aside_, nullptr));
  return state();
}

ComputeUnit::Progress ComputeUnit::state() {
  assay_lane = nullptr;
  if (aside_ != nullptr) return Progress::set_aside;
  if (launch_->checker != nullptr && !abandoned_) compare_matrix_operations(0, count_, {});
  if (launch_->counters != nullptr) launch_->counters->end_threadgroup(*this, {lanes_, count_});
  return abandoned_ ? Progress::given_up : Progress::finished;
}

void ComputeUnit::set_aside(Lane& lane) {
  aside_ = &lane;
  polls_ = 0;
  switch_to(lane, main_);
}

void ComputeUnit::note_progress() {
  polls_ = 0;
  if (launch_->schedule != nullptr) launch_->schedule->progress();
}

void ComputeUnit::start_fiber(Lane& lane) {
  const auto stack = free_stacks_.back();
  free_stacks_.pop_back();
  std::byte* base = stacks_ + kStackPitch * stack;
#ifdef __SANITIZE_ADDRESS__
  // A lane that was given up has left its frames; to the sanitizer they would still be there.
  ASAN_UNPOISON_MEMORY_REGION(base, kStackPitch);
#endif
  lane.view.context =
      context::make_fcontext(base + kStackPitch - stagger(stack), kStackBytes - stagger(stack), fiber_main);
  lane.view.stack = stack;
}

// Leaves `from` where it is and goes on with `to`; returns when somebody switches back to `from`.
inline void ComputeUnit::switch_to(Lane& from, Lane& to) {
  if (&to != &main_ && !to.begun()) [[unlikely]]
    start_fiber(to);
  assay_lane = &to.view;
  const auto back = context::jump_fcontext(to.view.context, &from.view);
  static_cast<assay_lane_t*>(back.data)->context = back.fctx;
}

void ComputeUnit::resume(Lane& lane, Lane& to) {
  if (&to != &lane) switch_to(lane, to);
}

// The lane that a kernel's code is to resume: it cannot begin a lane itself.
inline Lane& ComputeUnit::begin(Lane* next) {
  if (next == nullptr) return main_;
  if (!next->begun()) [[unlikely]]
    start_fiber(*next);
  return *next;
}

void ComputeUnit::fiber_main(context::transfer_t from) {
  static_cast<assay_lane_t*>(from.data)->context = from.fctx;
  auto* lane = reinterpret_cast<Lane*>(assay_lane);
  lane->unit->run_lanes_from(lane);
}

// Body of a fiber: its lane, then every lane that has not begun and comes next.
void ComputeUnit::run_lanes_from(Lane* lane) {
  const auto stack = lane->view.stack;
  const auto entry = launch_->module->entry();
  for (;;) {
    entry(arguments_);
    settle(*lane);
    finish_lane(*lane);
    Lane* next = next_able(*lane);
    if (next != nullptr && !next->begun()) {
      assay_lane = &next->view;
      lane = next;
      lane->view.context = main_.view.context;  // begun; overwritten as soon as it waits
      continue;
    }
    free_stacks_.push_back(stack);  // nothing runs on it after the switch
    switch_to(*lane, next != nullptr ? *next : main_);
  }
}

void ComputeUnit::end_lane(Lane& lane) {
  faulted_lane_ = true;
  finish_lane(lane);
  Lane* next = next_able(lane);
  switch_to(lane, next != nullptr ? *next : main_);
  __builtin_unreachable();
}

void ComputeUnit::finish_lane(Lane& lane) {
  auto& group = *lane.simdgroup;
  lane.done = true;
  lane.met = open_.epoch;  // a gate that never opens again
  lane.gate = &open_;
  note_progress();
  --expected_;
  --group.expected;
  if (group.arrived != 0 && group.arrived == group.expected && !group.mixed) {
    complete_simdgroup(group, waiting_at(group.gate)->wait);
  }
  if (arrived_ != 0 && arrived_ == expected_) complete_threadgroup();
}

// The lane to go on with when `lane` cannot: the next of its simdgroup, the first of any other. Null at the
// end.
Lane* ComputeUnit::next_able(Lane& lane) {
  for (Lane* l = lane.next; l != &lane; l = l->next) {
    if (!l->waits()) return l;
  }
  Lane* able = first_able();
  return able != nullptr ? able : resolve();
}

Lane* ComputeUnit::first_able() {
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (!lanes_[i].waits()) return &lanes_[i];
  }
  return nullptr;
}

void ComputeUnit::meet(Lane& lane, CallSite site, bool device_memory) {
  lane.wait = site;
  for (std::uint32_t i = 1; i < count_; ++i) {
    Lane& other = lanes_[(lane.view.index_in_threadgroup + i) % count_];
    if (other.waits()) continue;
    switch_to(lane, other);
    break;
  }
  if (device_memory && launch_->schedule->interrupt()) set_aside(lane);
}

// A lane that only looks may wait for another threadgroup: after a while those get their turn.
void ComputeUnit::met(Lane& lane, CallSite site, bool changed) {
  if (changed) return note_progress();
  if (launch_->schedule->poll()) {
    launch_->faults->add(device::FaultKind::deadlock, site.line, [&] {
      device::Fault fault;
      fault.place = {site.file, site.line};
      fault.message = "threads wait here for a change that nobody is left to make";
      fault.accesses.push_back({name_of(lane.view.index_in_threadgroup) + " polls", fault.place});
      return fault;
    });
    abandoned_ = true;
    switch_to(lane, main_);
  }
  if (++polls_ > count_ * 4) set_aside(lane);
}

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
    note_progress();
    if (launch_->schedule != nullptr && !lanes_->waits() && launch_->schedule->interrupt()) {
      aside_ = lanes_;
      return main_;
    }
    if (!lanes_->waits()) return *lanes_;  // lane 0 first
  }
  return begin(lane.next->waits() ? next_able(lane) : lane.next);
}

void ComputeUnit::complete_threadgroup() {
  if ((expected_ != count_ || mixed_) && !faulted_lane_) {
    report_divergence(*waiting_at(gate_), mixed_ ? 0 : arrived_, count_, "threadgroup");
  }
  if (launch_->checker != nullptr) {
    compare_matrix_operations(0, count_, site_);
    launch_->checker->threadgroup_barrier(flags_);
  }
  if (launch_->counters != nullptr) launch_->counters->threadgroup_barrier(*this);
  arrived_ = 0;
  mixed_ = false;
  ++gate_.epoch;
}

Lane& ComputeUnit::simdgroup_arrive(Lane& lane, std::uint32_t flags, CallSite site) {
  return arrive(lane, site, true, flags);
}

const void* ComputeUnit::collective(Lane& lane, const void* value, std::uint32_t size, std::uint64_t* active,
                                    CallSite site) {
  settle(lane);
  auto& group = *lane.simdgroup;
  std::memcpy(group.values[lane.view.index_in_simdgroup].data(), value, std::min<std::uint32_t>(size, 64));
  group.value_bytes = std::min<std::uint32_t>(size, 64);
  resume(lane, arrive(lane, site, false, 0));
  *active = group.active;
  return group.results.data();
}

inline void ComputeUnit::note_arrival(Lane& lane, CallSite site, bool is_barrier, std::uint32_t flags) {
  auto& group = *lane.simdgroup;
  lane.wait = site;
  lane.at_barrier = is_barrier;
  if (group.arrived == 0) {
    group.site_line = site.line;
    group.site_is_barrier = is_barrier;
    group.flags = flags;
  } else {
    group.mixed |= group.site_line != site.line || group.site_is_barrier != is_barrier;
    group.flags &= flags;
  }
}

// The common path of a simdgroup: lanes arrive one after the other, the last one lets them all go on, and
// the first goes on first.
inline Lane& ComputeUnit::arrive(Lane& lane, CallSite site, bool is_barrier, std::uint32_t flags) {
  auto& group = *lane.simdgroup;
  Lane* next = lane.next;
  lane.gate = &group.gate;
  if (lane.early == group.gate.epoch + 1) {  // the barrier before this one has not opened yet
    lane.wait = site;
    lane.met = group.gate.epoch + 1;
    group.next_line = site.line;
    ++group.arrived_next;
  } else {
    note_arrival(lane, site, is_barrier, flags);
    lane.met = group.gate.epoch;
    if (++group.arrived == group.expected && !group.mixed) {
      complete_simdgroup(group, site);
      next = group.first;
    }
  }
  if (next->waits()) [[unlikely]]
    next = lane.waits() ? next_able(lane) : &lane;
  return begin(next);
}

void ComputeUnit::simdgroup_arrive_early(Lane& lane, std::uint32_t flags, CallSite site) {
  auto& group = *lane.simdgroup;
  settle(lane);
  note_arrival(lane, site, true, flags);
  lane.early = group.gate.epoch + 1;
  if (++group.arrived == group.expected && !group.mixed) complete_simdgroup(group, site);
}

// Waits for a barrier that the lane passed early, where what comes is no simdgroup barrier.
inline void ComputeUnit::settle(Lane& lane) {
  if (lane.early != lane.simdgroup->gate.epoch + 1) return;
  lane.gate = &lane.simdgroup->gate;
  lane.met = lane.simdgroup->gate.epoch;
  Lane* next = next_able(lane);
  if (next != &lane) switch_to(lane, begin(next));
}

void ComputeUnit::complete_simdgroup(Simdgroup& group, CallSite site) {
  if (group.site_is_barrier) {
    if (group.expected != group.size && !faulted_lane_) {
      report_divergence(*waiting_at(group.gate), group.arrived, group.size, "simdgroup");
    }
    if (launch_->checker != nullptr) {
      compare_matrix_operations(group.index * kWidth, group.size, site);
      launch_->checker->simdgroup_barrier(group, group.flags);
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
  group.arrived = std::exchange(group.arrived_next, 0);
  group.site_line = group.next_line;
  group.site_is_barrier = true;
  ++group.gate.epoch;
  polls_ = 0;
}

void ComputeUnit::gather(Simdgroup& group, std::uint64_t active) {
  group.active = active;
  const auto size = group.value_bytes;
  for (std::uint32_t i = 0; i < kWidth; ++i) {
    unsigned char* to = group.results.data() + std::size_t{i} * size;
    if (active >> i & 1) {
      std::memcpy(to, group.values[i].data(), size);
    } else {
      for (std::uint32_t b = 0; b < size; ++b)
        to[b] = b % 2 == 0 ? device::kPoison & 0xFF : device::kPoison >> 8;
    }
  }
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
    --group.arrived;
  }
  // Whoever still waits was left behind; the others will find it waiting elsewhere than they do.
  group.mixed = group.arrived != 0;
  return true;
}

// Nobody can run. Collectives of part of a simdgroup go ahead; a barrier that not everybody reaches is the
// end of the threadgroup. Null when there is nothing left to run.
Lane* ComputeUnit::resolve() {
  if (expected_ == 0) return nullptr;
  for (std::uint32_t g = 0; g < group_count_; ++g) {
    if (groups_[g].arrived != 0 && release_collectives(groups_[g])) return first_able();
  }
  for (std::uint32_t g = 0; g < group_count_ && !faulted_lane_; ++g) {
    const auto& group = groups_[g];
    if (group.arrived == 0) continue;
    report_divergence(*waiting_at(group.gate), group.arrived == group.size ? 0 : group.arrived, group.size,
                      "simdgroup");
  }
  if (arrived_ != 0 && !faulted_lane_) report_divergence(*waiting_at(gate_), arrived_, count_, "threadgroup");
  abandoned_ = true;
  return nullptr;
}

void ComputeUnit::report_divergence(const Lane& waiting, std::uint32_t arrived, std::uint32_t expected,
                                    const char* scope) {
  launch_->faults->add(device::FaultKind::divergent_barrier, waiting.wait.line, [&] {
    device::Fault fault;
    fault.place = {waiting.wait.file ? waiting.wait.file : "", waiting.wait.line};
    // Where is one that is missing?
    const Lane* missing = nullptr;
    for (std::uint32_t i = 0; i < count_; ++i) {
      const bool same_scope = expected == count_ || i / kWidth == waiting.view.simdgroup_index;
      const bool here = lanes_[i].gate == waiting.gate && lanes_[i].waits() && lanes_[i].wait == waiting.wait;
      if (same_scope && !here && missing == nullptr) missing = &lanes_[i];
    }
    fault.message = arrived == 0 ? fmt::format("threads of one {} wait at different barriers", scope)
                                 : fmt::format("only {} of {} threads of the {} reach this barrier", arrived,
                                               expected, scope);
    fault.accesses.push_back({name_of(waiting.view.index_in_threadgroup) + " waits here", fault.place});
    if (missing != nullptr) {
      const bool ended = missing->done;
      device::Access access;
      access.what = name_of(missing->view.index_in_threadgroup) + (ended ? " has ended" : " waits elsewhere");
      if (!ended && missing->wait.file != nullptr) access.place = {missing->wait.file, missing->wait.line};
      fault.accesses.push_back(access);
    }
    return fault;
  });
}

// Matrix operations belong to the whole simdgroup, and lane 0 does them for all: a lane that has counted
// more or fewer of them at a barrier took another way.
void ComputeUnit::compare_matrix_operations(std::uint32_t first, std::uint32_t count, CallSite site) {
  if (faulted_lane_) return;
  for (std::uint32_t i = first; i < first + count; ++i) {
    const Lane& leader = lanes_[i / kWidth * kWidth];
    const bool as_many = lanes_[i].view.matrix_operations == leader.view.matrix_operations;
    if (as_many && lanes_[i].view.matrix_arguments == leader.view.matrix_arguments) continue;
    launch_->faults->add(device::FaultKind::divergent_barrier, (std::uint64_t{1} << 32) | site.line, [&] {
      device::Fault fault;
      fault.place = {site.file ? site.file : "", site.line};
      const std::string group = fmt::format("the threads of simdgroup {}", lanes_[i].view.simdgroup_index);
      const std::string until = site.file != nullptr ? "before this barrier" : "before the kernel's end";
      fault.message =
          as_many ? fmt::format(
                        "{} have called matrix operations with different arguments {}: pointers, strides and "
                        "values must be the same in all of them",
                        group, until)
                  : fmt::format(
                        "{} have done different numbers of matrix operations {} ({} and {}): these need all "
                        "its threads",
                        group, until, leader.view.matrix_operations, lanes_[i].view.matrix_operations);
      fault.accesses.push_back({name_of(i), fault.place});
      return fault;
    });
    return;
  }
}

std::string ComputeUnit::name_of(std::uint32_t thread) const {
  return fmt::format("thread {} (simdgroup {}, lane {}) of threadgroup ({}, {}, {})", thread, thread / kWidth,
                     thread % kWidth, position_.x, position_.y, position_.z);
}

}  // namespace assay::simulator
