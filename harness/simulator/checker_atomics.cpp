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
  if ((flags & 2) != 0 && order != kRelaxed) now_->local_fences[assay_lane->index_in_threadgroup] = ++clock_;
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
    misaligned(address, {"atomic", static_cast<std::uint32_t>(size_bytes)}, {site.file, site.line});
  if (!inside(address, size_bytes)) return foreign(address, size_bytes, writes, by, ASSAY_CALLERS_STACK);
  if (reads) touch(address, size_bytes, false, by);
  if (writes) touch(address, size_bytes, true, by);
  if (reads) note_doer(atomic_reads_, address, size_bytes);
  if (writes) note_doer(atomic_writes_, address, size_bytes);
}

// Records of a cell say that an atomic was there, not whose: plain accesses of its own lane come after it.
void Checker::note_doer(Doers& doers, std::uintptr_t address, std::size_t size_bytes) {
  const std::uint32_t me = assay_lane->index_in_threadgroup;
  const unsigned space = in_threadgroup_memory(address) ? 1 : 0;
  for (std::uintptr_t a = address & ~std::uintptr_t{unit_bytes() - 1}; a < address + size_bytes;
       a += unit_bytes()) {
    const auto [known, fresh] = doers.try_emplace(cell(a), Doer{clock_, me});
    if (fresh) continue;
    Doer& last = known->second;
    last = {clock_, ordered(last.clock, last.lane, space, me) ? me : std::uint32_t{kAtomic}};
  }
}

// Of another threadgroup: what its lane has done is ordered by its fences, atomic or not.
bool Checker::is_before(const Doers& doers, const ShadowCell& cell, std::uint32_t by,
                        std::uint32_t me) const {
  if (agent_of(by) != kAtomic || me == kAtomic) return false;
  const auto known = doers.find(&cell);
  if (known == doers.end() || known->second.lane == kAtomic) return false;
  const Doer& doer = known->second;
  const std::uint32_t owner = owner_of(doer.clock);
  if (owner == now_->order.number) return doer.lane == me;
  return now_->order.covers(owner, doer.clock, doer.lane, assay_lane->index_in_threadgroup);
}

// A fence over threadgroup memory shows all that came before it, whether or not the other side has one: too
// much is seen rather than too little.
bool Checker::before_lane(std::uint32_t lane, std::uint32_t clock, std::uint32_t me) const {
  const auto fence = now_->local_fences.find(me);
  if (fence != now_->local_fences.end() && clock < fence->second) return true;
  return ordered(clock, lane, 1, me);
}

std::optional<std::uint64_t> Checker::overtakes(std::uintptr_t address, std::uint64_t newest,
                                                std::uint32_t order, CallSite site) {
  if (!in_threadgroup_memory(address) || order != kRelaxed) return std::nullopt;
  const auto found = now_->atomics.find(address);
  if (found == now_->atomics.end()) return std::nullopt;
  AtomicHistory& history = found->second;
  history.expect(newest);
  const std::uint32_t me = assay_lane->index_in_threadgroup;
  const std::uint64_t oldest = history.oldest_for(
      [&](std::uint32_t lane, std::uint32_t clock) { return before_lane(lane, clock, me); });
  overtaken_ = history.store_after(oldest);
  if (overtaken_ == 0 || launch_->schedule->local_late_by(1) == 0) return std::nullopt;
  note_old_value(history.change(overtaken_), pack(me, site), address);
  return history.value(overtaken_ - 1);
}

void Checker::overtook(std::uintptr_t address, std::uint64_t left, CallSite site) {
  const std::uint32_t me = assay_lane->index_in_threadgroup;
  now_->atomics.at(address).add_before(overtaken_, {left, clock_, pack(me, site), me, false, {}});
}

std::uint64_t Checker::atomic_loaded(std::uintptr_t address, std::uint64_t value, std::uint32_t order,
                                     CallSite site) {
  const std::uint32_t me = assay_lane->index_in_threadgroup;
  if (in_threadgroup_memory(address)) {
    const auto found = now_->atomics.find(address);
    if (found == now_->atomics.end() || order != kRelaxed) return value;
    AtomicHistory& history = found->second;
    history.expect(value);
    const std::uint64_t newest = history.newest();
    const std::uint64_t oldest = history.oldest_for(
        [&](std::uint32_t lane, std::uint32_t clock) { return before_lane(lane, clock, me); });
    const std::uint64_t given = newest - launch_->schedule->local_late_by(newest - oldest);
    if (given != newest) note_old_value(history.change(given + 1), pack(me, site), address);
    history.seen(me, clock_, given);
    return history.value(given);
  }
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
  const std::uint32_t me = assay_lane->index_in_threadgroup;
  if (in_threadgroup_memory(address)) {
    AtomicHistory& history = now_->atomics[address];
    history.expect(before);
    if (after != before || !reads) history.add({after, clock_, pack(me, site), me, !reads, {}});
    if (reads) history.seen(me, clock_, history.newest());
    return;
  }
  if (releases(order)) fence(1, kRelease, kDeviceScope);
  LaneOrder& lane = now_->order.lanes[me];
  AtomicHistory& history = atomics_[address];
  history.expect(before);
  if (reads) lane.picked.join(history.published(history.newest()));
  history.add({after, clock_, pack(me, site), now_->order.number, !reads, lane.released});
  if (reads && acquires(order)) fence(1, kAcquire, kDeviceScope);
}

}  // namespace assay::simulator
