// What the checker says: agents, objects and places in words.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/device/grouped.hpp"
#include "harness/simulator/checker_inline.hpp"
#include "harness/simulator/compute_unit.hpp"

namespace assay::simulator {
namespace {

using device::counted;
using device::grouped;

/// ", texel (3, 0)" of two dimensions; an array's layer comes last.
std::string texel_at(const device::TextureShape& shape, std::size_t byte) {
  const std::size_t texel = byte / device::texel_bytes(shape.format);
  const std::size_t x = texel % shape.width, y = texel / shape.width % shape.height,
                    z = texel / shape.width / shape.height;
  if (shape.depth * shape.layers > 1) return fmt::format(", texel ({}, {}, {})", x, y, z);
  return shape.height > 1 ? fmt::format(", texel ({}, {})", x, y) : fmt::format(", texel {}", x);
}

}  // namespace

std::uint32_t Checker::pack(std::uint32_t agent, CallSite site) {
  auto known = std::find(files_.begin(), files_.end(), site.file);
  if (known == files_.end() && files_.size() < 16) known = files_.insert(files_.end(), site.file);
  const auto file = static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(known - files_.begin(), 15));
  return agent | (kLinePlace | file << 16 | std::min(site.line, 0xFFFFu)) << kAgentBits;
}

device::SourcePlace Checker::place_of(std::uint32_t by) const {
  const std::uint32_t place = by >> kAgentBits;
  if (place == 0) return {};
  if ((place & kLinePlace) == 0) return launch_->module->place_of(module_begin_ + place);
  const std::uint32_t file = place >> 16 & 15;
  return {file < files_.size() && files_[file] != nullptr ? files_[file] : "", place & 0xFFFF};
}

std::string Checker::agent_name(std::uint32_t by, std::uint32_t clock) const {
  const std::uint32_t agent = agent_of(by);
  if (agent == kAtomic) return "an atomic operation";
  if (clock < clock_ && clock >= launch_start_ && agent != kSeveralThreadgroups &&
      owner_of(clock) != now_->order.number) {
    return agent < kWholeSimdgroup ? fmt::format("thread {} of another threadgroup", agent)
                                   : "another threadgroup";
  }
  if (agent < kWholeSimdgroup) return unit_->name_of(agent);
  if (agent < kSeveralOfSimdgroup) return fmt::format("simdgroup {} as a whole", agent - kWholeSimdgroup);
  if (agent < kSeveralSimdgroups)
    return fmt::format("several threads of simdgroup {}", agent - kSeveralOfSimdgroup);
  return agent == kSeveralSimdgroups ? "threads of several simdgroups" : "threads of several threadgroups";
}

std::string Checker::object_name(std::uintptr_t address, std::uintptr_t* offset) const {
  const auto find = [&](const std::vector<NamedRange>& ranges) -> const NamedRange* {
    for (const auto& range : ranges) {
      if (address - range.begin < range.size_bytes) return &range;
    }
    return nullptr;
  };
  const NamedRange* range = find(buffers_);
  if (range == nullptr) range = find(now_->objects);
  if (range == nullptr) return {};
  if (offset != nullptr) *offset = address - range->begin;
  return range->name;
}

std::string Checker::object_place(std::uintptr_t address) const {
  std::uintptr_t offset = 0;
  const std::string name = object_name(address, &offset);
  const auto range = std::find_if(buffers_.begin(), buffers_.end(), [&](const NamedRange& one) {
    return address - one.begin < one.size_bytes;
  });
  const bool texture = range != buffers_.end() && range->texture;
  return fmt::format("`{}` at byte {}{}", name, grouped(offset),
                     texture ? texel_at(*range->texture, offset) : "");
}

device::Access Checker::describe(std::uint32_t by, std::uint32_t clock, bool write) const {
  device::Access access;
  access.agent = agent_name(by, clock);
  access.what = fmt::format("{} by {}", write ? "write" : "read", access.agent);
  access.place = place_of(by);
  access.write = write;
  const std::uint32_t agent = agent_of(by);
  const bool elsewhere = clock < clock_ && clock >= launch_start_ && owner_of(clock) != now_->order.number;
  if (elsewhere || simdgroup_of(agent) == kNoSimdgroup) return access;
  access.simdgroup = simdgroup_of(agent);
  if (agent < kWholeSimdgroup) {
    access.thread = agent;
    access.lane = agent % kWidth;
  }
  return access;
}

// What `me` and `them` passed between their accesses, `them` at `clock` and `me` now, and the last barriers
// before both. Those of other simdgroups have nothing to do with it.
void Checker::describe_barriers(device::Fault& fault, std::uint32_t me, std::uint32_t them,
                                std::uint32_t clock) const {
  const auto told = [&](const BarrierLog::Passed& one, bool between) {
    device::PassedBarrier barrier;
    if (one.simdgroup != kNoSimdgroup) barrier.simdgroup = one.simdgroup;
    barrier.orders_device = (one.flags & 1) != 0;
    barrier.orders_threadgroup = (one.flags >> 1 & 1) != 0;
    barrier.place = {one.site.file == nullptr ? "" : one.site.file, one.site.line};
    barrier.between = between;
    return barrier;
  };
  const auto matters = [&](const BarrierLog::Passed& one) {
    return one.simdgroup == kNoSimdgroup || one.simdgroup == simdgroup_of(me) ||
           one.simdgroup == simdgroup_of(them);
  };
  const auto passed = now_->barriers.oldest_first();
  const BarrierLog::Passed* last = nullptr;
  for (const auto& one : passed) {
    if (one.clock <= clock && matters(one)) last = &one;
  }
  if (last != nullptr) fault.barriers.push_back(told(*last, false));
  for (const auto& one : passed) {
    if (one.clock <= clock || !matters(one)) continue;
    auto barrier = told(one, true);
    auto& known = fault.barriers;
    if (!known.empty() && known.back().between && known.back().place == barrier.place &&
        known.back().simdgroup == barrier.simdgroup) {
      ++known.back().count;
    } else {
      known.push_back(std::move(barrier));
    }
  }
  fault.more_barriers = now_->barriers.has_forgotten() && !passed.empty() && passed.front().clock > clock;
}

void Checker::report_race(const ShadowCell& cell, bool mine_writes, bool other_writes, std::uint32_t by,
                          std::uintptr_t address, bool read_races) {
  const std::uint32_t other = other_writes ? cell.write_by : cell.read_by;
  const std::uint32_t clock = other_writes ? cell.write_clock : cell.read_clock;
  const std::uint32_t my_group = simdgroup_of(agent_of(by)), their_group = simdgroup_of(agent_of(other));
  const bool known = my_group != kNoSimdgroup && their_group != kNoSimdgroup;
  const bool inside = known && my_group == their_group && owner_of(clock) == now_->order.number;
  const std::uint64_t key =
      std::uint64_t{by >> kAgentBits} << 32 | std::uint64_t{inside} << 31 | other >> kAgentBits;
  launch_->faults->add(device::FaultKind::race, key, [&] {
    device::Fault fault;
    const std::uint32_t me = agent_of(by), them = agent_of(other);
    const bool two_writes = mine_writes && other_writes;
    std::string who;
    if (them == kSeveralThreadgroups || owner_of(clock) != now_->order.number) {
      fault.scope = 2;
      who = "two threadgroups";
    } else if (inside) {
      who = fmt::format("simdgroup {}", my_group);
    } else {
      fault.scope = 1;
      who = known ? "two simdgroups" : "two threads";
    }
    fault.accesses = {describe(by, clock_, mine_writes), describe(other, clock, other_writes)};
    fault.place = fault.accesses[0].place;
    if (fault.scope < 2) describe_barriers(fault, me, them, clock);
    fault.object = object_name(address);
    const char* const acts = fault.scope == 0 ? (two_writes ? "writes" : "writes and reads")
                                              : (two_writes ? "write" : "write and read");
    fault.message = fmt::format("{} {} {}{}, and {}", who, acts, object_place(address),
                                fault.scope == 0 && two_writes ? " twice" : "",
                                missing_order(fault, address, two_writes ? "two writes" : "two accesses"));
    // What a read takes that comes too early is wrong from then on, though only the write shows the race.
    // Of reads by several threadgroups it is not known when they were.
    const bool dated = mine_writes && !other_writes && them != kSeveralThreadgroups;
    fault.moment = moment_of(dated ? clock : clock_);
    return fault;
  });
  if (!mine_writes || !other_writes || agent_of(by) == kAtomic || agent_of(other) == kAtomic) return;
  // Whoever read what was there before may have read either value.
  if (read_races) return launch_->faults->add_values(key, false, false);
  if (!racing_writes_.empty() && racing_writes_.back().by != by) settle_writes();
  // A loop of one thread that races with itself from round to round is at one place for long.
  if (racing_writes_.size() >= RacingWrite::kMost) settle_writes(RacingWrite::kOfAnAccess);
  racing_writes_.push_back({key, address, by, unit_at(address)});
}

// What keeps the accesses of a race apart, in words: a barrier between them that names other memory is the
// likelier slip than one that is not there.
std::string Checker::missing_order(const device::Fault& fault, std::uintptr_t address,
                                   const char* accesses) const {
  if (fault.scope == 2) return fmt::format("no atomic with a device fence orders the {}", accesses);
  const bool in_threadgroup = address - kBase >= kThreadgroupOffset;
  const char* const barrier = fault.scope == 0 ? "simdgroup_barrier" : "threadgroup_barrier";
  for (const auto& one : fault.barriers) {
    if (!one.between || (fault.scope == 1 && one.simdgroup)) continue;
    if (in_threadgroup ? one.orders_threadgroup : one.orders_device) continue;
    return fmt::format("the {} between the {}, at {}:{}, does not name {}",
                       one.simdgroup ? "simdgroup_barrier" : "threadgroup_barrier", accesses, one.place.file,
                       one.place.line, in_threadgroup ? "mem_threadgroup" : "mem_device");
  }
  const auto& threads = launch_->threads;
  const bool alone = std::uint64_t{threads.x} * threads.y * threads.z <= kWidth;
  return fmt::format(
      "no {} orders the {}{}", barrier, accesses,
      fault.scope == 1 || alone ? "" : " (a threadgroup_barrier, if other simdgroups use that memory)");
}

std::uint32_t Checker::unit_at(std::uintptr_t address) const {
  std::uint32_t held = 0;
  std::memcpy(&held, reinterpret_cast<const void*>(address), unit_bytes());
  return held;
}

void Checker::settle_writes(std::size_t but_the_last) {
  const auto end =
      racing_writes_.end() - static_cast<std::ptrdiff_t>(std::min(but_the_last, racing_writes_.size()));
  for (auto one = racing_writes_.begin(); one != end; ++one) {
    const std::uint32_t left = unit_at(one->address);
    launch_->faults->add_values(one->key, left == one->found, left == 0);
  }
  racing_writes_.erase(racing_writes_.begin(), end);
}

void Checker::note_old_value(const AtomicHistory::Change& change, std::uint32_t by, std::uintptr_t address) {
  launch_->faults->add_old_value(std::uint64_t{by >> kAgentBits} << 32 | change.by >> kAgentBits, [&] {
    return device::OldValue{object_name(address), describe(by, clock_, false),
                            describe(change.by, change.clock, true)};
  });
}

bool Checker::is_coherent(std::uintptr_t address) const {
  bool known = false;
  for (const auto& range : buffers_) {
    if (address - range.begin >= range.size_bytes) continue;
    if (range.coherent) return true;  // by one of the names that it has
    known = true;
  }
  return !known;
}

// Fences and atomics order the two accesses, and yet the read may not see the write.
void Checker::report_incoherent(const ShadowCell& cell, std::uint32_t by, std::uintptr_t address) {
  const std::uint64_t key =
      std::uint64_t{1} << 63 | std::uint64_t{by >> kAgentBits} << 32 | cell.write_by >> kAgentBits;
  launch_->faults->add(device::FaultKind::race, key, [&] {
    device::Fault fault;
    fault.scope = 2;
    fault.accesses = {describe(by, clock_, false), describe(cell.write_by, cell.write_clock, true)};
    fault.place = fault.accesses[0].place;
    fault.object = object_name(address);
    fault.message = fmt::format(
        "one threadgroup writes and another reads {}, which is not coherent between them: declare it "
        "`device coherent(device)` (before Metal 3.2 all device memory was: --metal-version 3.1)",
        object_place(address));
    fault.moment = moment_of(clock_);
    return fault;
  });
}

void Checker::report_unwritten(const PrivateVariables::Unwritten& found, std::size_t size_bytes,
                               std::uint32_t by) {
  const auto& variable = found.variable;
  const std::size_t byte = found.byte;
  const std::uint64_t key = std::uint64_t{variable.number} << 32 | by >> kAgentBits | std::uint64_t{1} << 63;
  launch_->faults->add(device::FaultKind::uninitialised_read, key, [&] {
    device::Fault fault;
    const bool part = variable.written.size() > size_bytes;
    fault.message =
        fmt::format("the variable `{}`, declared in line {}, is read{} before it has a value", variable.name,
                    variable.declared.line, part ? fmt::format(" at byte {}", grouped(byte)) : "");
    fault.accesses = {describe(by, clock_, false), {"declared without a value", variable.declared}};
    fault.place = fault.accesses[0].place;
    fault.variable = variable.number;
    return fault;
  });
}

void Checker::no_value(CallSite site) {
  const std::uint32_t by = pack(assay_lane->index_in_threadgroup, site);
  launch_->faults->add(device::FaultKind::uninitialised_read, by >> kAgentBits | std::uint64_t{1} << 41, [&] {
    device::Fault fault;
    fault.message = "elements of a cooperative tensor are read before they have a value";
    fault.accesses = {describe(by, clock_, false)};
    fault.place = fault.accesses[0].place;
    return fault;
  });
}

void Checker::report_undefined(std::uint32_t by, std::uintptr_t address) {
  launch_->faults->add(device::FaultKind::uninitialised_read, by >> kAgentBits, [&] {
    device::Fault fault;
    fault.object = object_name(address);
    fault.message = fmt::format("a read of {}, which nobody has written", object_place(address));
    fault.accesses = {describe(by, clock_, false)};
    fault.place = fault.accesses[0].place;
    return fault;
  });
}

void Checker::report_out_of_bounds(std::uintptr_t address, bool write, std::uint32_t by) {
  launch_->faults->add(device::FaultKind::out_of_bounds, by >> kAgentBits, [&] {
    device::Fault fault;
    // The object that is nearest: what the kernel meant to touch. A large one may be missed by 4 GiB, as by
    // an offset whose upper half is lost; small ones have others that near.
    const NamedRange* nearest = nullptr;
    std::uintptr_t distance = kFarthestMiss + 1;
    bool before = false;
    for (const auto* ranges : {&buffers_, &now_->objects}) {
      for (const auto& range : *ranges) {
        const bool below = address < range.begin;
        const std::uintptr_t gap = below ? range.begin - address : address - (range.begin + range.size_bytes);
        if (gap < distance && (gap < kSlotPitch || AddressSpace::is_sparse(range.begin))) {
          distance = gap;
          nearest = &range;
          before = below;
        }
      }
    }
    const bool unbound = is_live(address);
    if (unbound) nearest = nullptr;
    fault.object = nearest == nullptr ? "" : nearest->name;
    fault.stray = nearest == nullptr;
    fault.message = write ? "a write " : "a read ";
    const auto* const constant =
        address < launch_->module->end() ? launch_->module->constant_before(address) : nullptr;
    if (constant != nullptr) {
      const std::uintptr_t at = address - module_begin_ - constant->begin;
      fault.object = constant->name;
      fault.stray = false;
      fault.message += at < constant->size_bytes && write
                           ? fmt::format("at byte {} of `{}`, which is constant", grouped(at), fault.object)
                           : fmt::format("at byte {} is past the end of `{}`, which has {}", grouped(at),
                                         fault.object, counted(constant->size_bytes, "byte"));
    } else if (fault.stray && unbound) {
      fault.message += "of a buffer that is not bound to this launch";
    } else if (fault.stray && unit_->holds(address)) {
      fault.message += "of memory that is not the thread's own: another thread's, or the simulator's";
    } else if (fault.stray) {
      fault.message += fmt::format("at address {:#x} is far from all memory of the kernel", address);
    } else if (before) {
      fault.message += fmt::format("is {} before the start of `{}`", counted(distance, "byte"), fault.object);
    } else {
      fault.message +=
          fmt::format("at byte {} is past the end of `{}`, which has {}", grouped(address - nearest->begin),
                      fault.object, counted(nearest->size_bytes, "byte"));
    }
    fault.accesses = {describe(by, clock_, write)};
    fault.place = fault.accesses[0].place;
    return fault;
  });
  unit_->end_lane(*reinterpret_cast<Lane*>(assay_lane));
}

void Checker::misaligned(std::uintptr_t address, const PointedTo& type, const device::SourcePlace& place) {
  const Lane& lane = *reinterpret_cast<Lane*>(assay_lane);
  lane.unit->launch().faults->add(device::FaultKind::misaligned, place.line, [&] {
    device::Fault fault;
    std::uintptr_t offset = 0;
    if (current != nullptr) fault.object = current->object_name(address, &offset);
    fault.message = fmt::format("an access as `{}` {}, and its address is not a multiple of {}", type.name,
                                fault.object.empty()
                                    ? "reaches into a variable of the thread's own"
                                    : fmt::format("begins at byte {} of `{}`", grouped(offset), fault.object),
                                type.alignment);
    fault.place = place;
    fault.accesses = {{"by " + lane.unit->name_of(lane.view.index_in_threadgroup), place}};
    return fault;
  });
}

void Checker::index_out_of_bounds(const std::string& message, device::SourcePlace place) {
  Lane& lane = *reinterpret_cast<Lane*>(assay_lane);
  lane.unit->launch().faults->add(device::FaultKind::out_of_bounds, std::uint64_t{1} << 40 | place.line, [&] {
    device::Fault fault;
    fault.message = message;
    fault.place = place;
    fault.accesses = {{"by " + lane.unit->name_of(lane.view.index_in_threadgroup), place}};
    return fault;
  });
  lane.unit->end_lane(lane);
}

}  // namespace assay::simulator
