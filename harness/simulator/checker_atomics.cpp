// What atomics and fences order, and what loads may give where nothing is ordered.
#include "harness/simulator/address_space.hpp"
#include "harness/simulator/agent.hpp"
#include "harness/simulator/checker_inline.hpp"
#include "harness/simulator/compute_unit.hpp"
#include "harness/simulator/schedule.hpp"

namespace assay::simulator {
namespace {

// Values of Metal's memory_order and thread_scope.
enum : std::uint32_t { kRelaxed = 0, kAcquire = 2, kRelease = 3, kSequential = 5, kDeviceScope = 2 };

bool acquires(std::uint32_t order) { return order == kAcquire || order > kRelease; }
bool releases(std::uint32_t order) { return order >= kRelease; }
bool in_threadgroup_memory(std::uintptr_t address) { return address - kBase >= kThreadgroupOffset; }

}  // namespace

void Checker::fence(std::uint32_t flags, std::uint32_t order, std::uint32_t scope) {
  if ((flags & 1) == 0 || order == kRelaxed || scope != kDeviceScope) return;
  const std::uint32_t me = assay_lane->index_in_threadgroup;
  const Simdgroup& group = *reinterpret_cast<Lane*>(assay_lane)->simdgroup;
  ++clock_;
  LaneOrder& lane = now_->order.lanes[me];
  if (acquires(order)) {
    lane.acquired.join(lane.picked);
    lane.picked = {};
  }
  if (!releases(order)) return;
  lane.released = now_->order.acquired;
  if (const auto found = now_->order.groups.find(group.index); found != now_->order.groups.end()) {
    lane.released.join(found->second);
  }
  lane.released.join(lane.acquired);
  Reach mine;
  mine.all = spaces_[0].barrier;
  mine.agents[me] = clock_;
  mine.agents[kSeveralOfSimdgroup + group.index] = group.synchronised[0];
  lane.released.of(now_->order.number).join(mine);
  if (order == kSequential) sequential_.note(clock_, now_->order.number, lane.released);
}

void Checker::atomic_access(std::uintptr_t address, std::size_t size_bytes, bool reads, bool writes,
                            CallSite site) {
  const std::uint32_t by = pack(kAtomic, site);
  if (address % size_bytes != 0)
    misaligned(address, {"an atomic", static_cast<std::uint32_t>(size_bytes)}, {site.file, site.line});
  if (!inside(address, size_bytes)) return foreign(address, writes, by);
  if (reads) touch(address, size_bytes, false, by);
  if (writes) touch(address, size_bytes, true, by);
}

std::uint64_t Checker::atomic_loaded(std::uintptr_t address, std::uint64_t value, std::uint32_t order,
                                     CallSite site) {
  if (in_threadgroup_memory(address)) return value;
  const std::uint32_t me = assay_lane->index_in_threadgroup;
  if (const auto found = atomics_.find(address); found != atomics_.end()) {
    AtomicHistory& history = found->second;
    history.expect(value);
    const std::uint64_t newest = history.newest(), oldest = history.oldest_for(now_->order, me, sequential_);
    const std::uint64_t given = newest - launch_->schedule->late_by(newest - oldest, [&](std::uint64_t late) {
      return history.value(newest - late);
    });
    if (given != newest) note_old_value(history.change(given + 1), pack(me, site), address);
    now_->order.lanes[me].picked.join(history.published(given));
    history.seen(now_->order.number, clock_, given);
    value = history.value(given);
  }
  if (acquires(order)) fence(1, kAcquire, kDeviceScope);
  return value;
}

void Checker::atomic_written(std::uintptr_t address, std::uint64_t before, std::uint64_t after, bool reads,
                             std::uint32_t order, CallSite site) {
  if (in_threadgroup_memory(address)) return;
  const std::uint32_t me = assay_lane->index_in_threadgroup;
  if (releases(order)) fence(1, kRelease, kDeviceScope);
  LaneOrder& lane = now_->order.lanes[me];
  AtomicHistory& history = atomics_[address];
  history.expect(before);
  if (reads) lane.picked.join(history.published(history.newest()));
  history.add({after, clock_, pack(me, site), now_->order.number, !reads, lane.released});
  if (reads && acquires(order)) fence(1, kAcquire, kDeviceScope);
}

}  // namespace assay::simulator
