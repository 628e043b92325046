#include "harness/simulator/checker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/simulator/address_space.hpp"
#include "harness/simulator/agent.hpp"
#include "harness/simulator/checker_inline.hpp"
#include "harness/simulator/compute_unit.hpp"
#include "harness/simulator/tile_runs.hpp"

namespace assay::simulator {

constinit thread_local Checker* Checker::current = nullptr;

void Checker::begin_launch(const Launch& launch, std::vector<NamedRange> buffers) {
  current = this;
  launch_ = &launch;
  unit_ = nullptr;
  module_begin_ = launch.module->begin();
  last_constant_ = nullptr;
  meeting_ = launch.module->has_atomics();
  buffers_ = std::move(buffers);
  files_.clear();
  set_unit(launch.module->has_byte_accesses() ? 1 : 2);
  if (clock_ > std::uint32_t{1} << 31) restart_clock();
  launch_start_ = ++clock_;
  hide_unbound();
  for (auto& [address, large] : large_) large.launched = !large.hidden;
  threadgroups_ = 0;
  segments_.clear();
  positions_.clear();
  atomics_.clear();
  atomic_reads_.clear();
  atomic_writes_.clear();
  sequential_ = {};
  readers_.clear();
}

void Checker::end_launch() {
  racing_writes_.clear();
  private_.clear();
  show_hidden();
  current = nullptr;
  launch_ = nullptr;
  unit_ = nullptr;
}

void Checker::set_current(ComputeUnit& unit) {
  if (now_ != nullptr) std::copy(spaces_, spaces_ + 2, now_->spaces);
  unit_ = &unit;
  window_ = reinterpret_cast<std::uintptr_t>(unit.window());
  now_ = &running_[&unit];
  std::copy(now_->spaces, now_->spaces + 2, spaces_);
}

void Checker::begin_threadgroup(ComputeUnit& unit) {
  set_current(unit);
  layout_threadgroup_memory(*launch_);
  now_->order = {};
  now_->atomics.clear();
  now_->local_fences.clear();
  now_->barriers.clear();
  now_->order.number = ++threadgroups_;
  const auto at = unit.position(), grid = launch_->threadgroups;
  positions_.push_back((at.z * grid.y + at.y) * grid.x + at.x);
  now_->start = now_->last_barrier = threadgroup_start_ = ++clock_;
  segments_.push_back({clock_, now_->order.number});
  spaces_[0] = {launch_start_, kWrittenByHost, threadgroup_start_, threadgroup_start_};
  spaces_[1] = {threadgroup_start_, threadgroup_start_, threadgroup_start_, threadgroup_start_};
}

void Checker::go_on_with(ComputeUnit& unit) {
  set_current(unit);
  threadgroup_start_ = now_->start;
  segments_.push_back({++clock_, now_->order.number});
  spaces_[0].mine = clock_;  // what came between may be others' doing
}

std::uint32_t Checker::owner_of(std::uint32_t clock) const {
  // Mostly the one that runs, or the one that was asked for before.
  const auto holds = [&](std::size_t i) {
    return i < segments_.size() && segments_[i].clock <= clock &&
           (i + 1 == segments_.size() || clock < segments_[i + 1].clock);
  };
  if (holds(segments_.size() - 1)) return segments_.back().number;
  if (holds(last_segment_)) return segments_[last_segment_].number;
  const auto after =
      std::upper_bound(segments_.begin(), segments_.end(), clock,
                       [](std::uint32_t c, const Segment& segment) { return c < segment.clock; });
  if (after == segments_.begin()) return 0;
  last_segment_ = static_cast<std::size_t>(after - segments_.begin()) - 1;
  return segments_[last_segment_].number;
}

std::vector<device::Writer> Checker::writers(std::uintptr_t address, std::size_t size_bytes) const {
  if (AddressSpace::is_sparse(address)) return {};
  std::vector<device::Writer> found(size_bytes);
  for (std::size_t i = 0; i < size_bytes; ++i) {
    const ShadowCell& c = *cell(address + i);
    if (c.write_clock < launch_start_) continue;  // by the host, by a launch before, or by nobody
    const std::uint32_t owner = owner_of(c.write_clock);
    if (owner > 0) found[i].threadgroup = positions_[owner - 1];
    found[i].simdgroup = simdgroup_of(agent_of(c.write_by));
  }
  return found;
}

void Checker::layout_threadgroup_memory(const Launch& launch) {
  std::vector<NamedRange> objects;
  const auto base = reinterpret_cast<std::uintptr_t>(unit_->window());
  const auto& variables = launch.module->threadgroup_variables();
  for (std::size_t slot = 0; slot < variables.size(); ++slot) {
    if (variables[slot].size_bytes == 0) continue;
    objects.push_back({base + slot * ASSAY_SLOT_STRIDE, variables[slot].size_bytes, variables[slot].name});
  }
  for (const auto& parameter : launch.module->parameters()) {
    if (!parameter.threadgroup) continue;
    const auto index = static_cast<std::size_t>(parameter.index);
    objects.push_back(
        {base + launch.threadgroup_offsets[index], launch.threadgroup_sizes[index], parameter.name});
  }
  const auto same = [](const NamedRange& a, const NamedRange& b) {
    return a.begin == b.begin && a.size_bytes == b.size_bytes && a.name == b.name;
  };
  auto& known = now_->objects;
  if (std::equal(objects.begin(), objects.end(), known.begin(), known.end(), same)) return;
  for (const auto& object : known)
    AddressSpace::instance().drop_shadow(object.begin, object.size_bytes, unit_bytes());
  for (const auto& object : objects) {
    AddressSpace::instance().back_shadow(object.begin, object.size_bytes, unit_bytes());
    mark(object.begin, object.size_bytes, kUndefined);
  }
  known = std::move(objects);
}

void Checker::threadgroup_barrier(std::uint32_t flags, CallSite site) {
  settle_writes();
  ++clock_;
  now_->barriers.add({clock_, kNoSimdgroup, flags, site});
  now_->last_barrier = clock_;
  for (unsigned space = 0; space < 2; ++space) {
    if (flags >> space & 1) spaces_[space].barrier = clock_;
  }
  if (flags & 1) now_->order.threadgroup_barrier();
}

void Checker::simdgroup_barrier(Simdgroup& group, std::uint32_t flags, CallSite site) {
  settle_writes();
  ++clock_;
  now_->barriers.add({clock_, group.index, flags, site});
  for (unsigned space = 0; space < 2; ++space) {
    if (flags >> space & 1) group.synchronised[space] = clock_;
  }
  if (flags & 1) now_->order.simdgroup_barrier(group.index);
}

bool Checker::has_passed(std::uint32_t simdgroup, CallSite site) const {
  const auto passed = now_->barriers.oldest_first();
  return std::any_of(passed.begin(), passed.end(), [&](const auto& one) {
    return one.site == site && (one.simdgroup == kNoSimdgroup || one.simdgroup == simdgroup);
  });
}

bool Checker::ordered(std::uint32_t clock, std::uint32_t by, unsigned space, std::uint32_t me) const {
  if (clock < spaces_[space].floor) return true;
  const std::uint32_t agent = agent_of(by);
  if (agent == kAtomic && me == kAtomic) return true;
  if (agent == kSeveralThreadgroups) return false;
  if (clock < spaces_[space].mine) {
    const std::uint32_t owner = owner_of(clock);
    if (owner != now_->order.number) {  // another threadgroup of this launch
      return now_->order.covers(owner, clock, agent, assay_lane->index_in_threadgroup);
    }
  }
  if (clock < spaces_[space].barrier || (agent == me && is_single(agent))) return true;
  if (me == kAtomic && agent == assay_lane->index_in_threadgroup) return true;  // after its lane's own
  const Simdgroup& group = *reinterpret_cast<Lane*>(assay_lane)->simdgroup;
  return simdgroup_of(agent) == group.index && clock < group.synchronised[space];
}

// Is that a plain access of the lane whose atomic comes now, with nothing between that orders it for others?
// Then its record stays: the atomics of other lanes may race with it, and not with this one.
bool Checker::still_plain(std::uint32_t clock, std::uint32_t by, unsigned space, std::uint32_t me) const {
  return me == kAtomic && agent_of(by) == assay_lane->index_in_threadgroup && clock >= spaces_[space].mine &&
         !quick(clock, by, space, me);
}

// A read: it conflicts with a write that nothing orders before it. Reads are remembered as one reader, or as
// several of one simdgroup, of several, or of several threadgroups; merging keeps the latest clock, which is
// exact, since only reads that are not ordered among themselves are merged.
[[gnu::cold, gnu::noinline]] void Checker::read_slow(ShadowCell& cell, unsigned space, std::uint32_t by,
                                                     std::uintptr_t address) {
  const std::uint32_t me = agent_of(by);
  if (cell.write_clock == kUnallocated) look_up_large(cell, address);
  if (cell.write_clock < spaces_[space].defined) {
    if (cell.write_clock == kUnallocated) report_out_of_bounds(address, false, by);
    report_undefined(by, address);
  } else if ((!ordered(cell.write_clock, cell.write_by, space, me) &&
              !is_before(atomic_writes_, cell, cell.write_by, me)) ||
             (me >= kWholeSimdgroup && me < kSeveralOfSimdgroup && agent_of(cell.write_by) == me &&
              cell.write_clock >= spaces_[space].mine && cell.write_clock >= spaces_[space].barrier &&
              cell.write_clock >= reinterpret_cast<Lane*>(assay_lane)->simdgroup->synchronised[space])) {
    report_race(cell, false, true, by, address);
  } else if (space == 0 && cell.write_clock >= spaces_[0].floor && cell.write_clock < spaces_[0].mine &&
             owner_of(cell.write_clock) != now_->order.number && !is_coherent(address) &&
             !(me == kAtomic && agent_of(cell.write_by) == kAtomic)) {
    report_incoherent(cell, by, address);
  }
  if (!ordered(cell.read_clock, cell.read_by, space, me) &&
      !is_before(atomic_reads_, cell, cell.read_by, me)) {
    const std::uint32_t other = agent_of(cell.read_by);
    std::uint32_t merged = kSeveralSimdgroups;
    const bool others = other != kSeveralThreadgroups && cell.read_clock < spaces_[space].mine &&
                        owner_of(cell.read_clock) != now_->order.number;
    if (others || other == kSeveralThreadgroups) {
      merged = kSeveralThreadgroups;
      if (meeting_) {  // only then can anything order them
        if (others) remember_reader(cell, cell.read_clock, cell.read_by);
        remember_reader(cell, clock_, by);
      }
      cell.read_clock = launch_start_;
      cell.read_by = merged | (by & ~kAgentMask);
      return;
    } else if (simdgroup_of(other) == simdgroup_of(me)) {
      merged = kSeveralOfSimdgroup + simdgroup_of(me);
    }
    by = merged | (by & ~kAgentMask);
  }
  if (still_plain(cell.read_clock, cell.read_by, space, me)) return;
  cell.read_clock = clock_;
  cell.read_by = by;
}

// One record a threadgroup: its latest read, taken for that of all its threads.
void Checker::remember_reader(ShadowCell& cell, std::uint32_t clock, std::uint32_t by) {
  const auto [reader, first] = readers_[&cell].try_emplace(owner_of(clock), Reader{clock, by});
  if (first) return;
  if (agent_of(reader->second.by) != agent_of(by)) by = (by & ~kAgentMask) | kSeveralSimdgroups;
  reader->second = {clock, by};
}

// Of a cell that several threadgroups have read: is each of these reads ordered before me?
bool Checker::readers_ordered(const ShadowCell& cell, std::uint32_t me) const {
  if (agent_of(cell.read_by) != kSeveralThreadgroups) return false;
  const auto readers = readers_.find(&cell);
  return readers != readers_.end() &&
         std::all_of(readers->second.begin(), readers->second.end(),
                     [&](const auto& one) { return ordered(one.second.clock, one.second.by, 0, me); });
}

[[gnu::cold, gnu::noinline]] void Checker::write_slow(ShadowCell& cell, unsigned space, std::uint32_t by,
                                                      std::uintptr_t address) {
  const std::uint32_t me = agent_of(by);
  if (cell.write_clock == kUnallocated) look_up_large(cell, address);
  if (cell.write_clock == kUnallocated) report_out_of_bounds(address, true, by);
  const bool read_races = !ordered(cell.read_clock, cell.read_by, space, me) && !readers_ordered(cell, me) &&
                          !is_before(atomic_reads_, cell, cell.read_by, me);
  if (cell.write_clock >= kFirstClock && !ordered(cell.write_clock, cell.write_by, space, me) &&
      !is_before(atomic_writes_, cell, cell.write_by, me)) {
    report_race(cell, true, true, by, address, read_races);
  } else if (read_races) {
    report_race(cell, true, false, by, address);
  }
  if (still_plain(cell.write_clock, cell.write_by, space, me)) return;
  cell.write_clock = clock_;
  cell.write_by = by;
}

void Checker::touch(std::uintptr_t address, std::size_t size_bytes, bool write, std::uint32_t by) {
  const unsigned space = address - kBase >= kThreadgroupOffset ? 1 : 0;
  const std::size_t step = unit_bytes();
  if (space == 1 && address - window_ >= kWindowBytes) report_out_of_bounds(address, write, by);
  for (std::uintptr_t a = address & ~(step - 1); a < address + size_bytes; a += step) {
    if (write) {
      this->write(*cell(a), space, by, a);
    } else {
      read(*cell(a), space, by, a);
    }
  }
}

void Checker::access(std::uintptr_t address, std::size_t size_bytes, bool write,
                     std::uintptr_t return_address, std::uintptr_t lowest) {
  const std::uint32_t by = pack(assay_lane->index_in_threadgroup, return_address);
  if (!inside(address, size_bytes)) return foreign(address, size_bytes, write, by, lowest);
  touch(address, size_bytes, write, by);
}

void Checker::matrix_access(std::uintptr_t first, std::ptrdiff_t row_stride_bytes, std::size_t element_bytes,
                            bool write, CallSite site) {
  const std::uint32_t by = pack(kWholeSimdgroup + assay_lane->simdgroup_index, site);
  if (first % element_bytes != 0)
    misaligned(first, {"simdgroup matrix", static_cast<std::uint32_t>(element_bytes)},
               {site.file, site.line});
  for (int row = 0; row < 8; ++row)
    run_access(first + static_cast<std::uintptr_t>(row * row_stride_bytes), 8 * element_bytes, write, by);
}

void Checker::run_access(std::uintptr_t address, std::size_t size_bytes, bool write, std::uint32_t by) {
  if (!inside(address, size_bytes)) return foreign(address, size_bytes, write, by, ASSAY_CALLERS_STACK);
  touch(address, size_bytes, write, by);
}

void Checker::tile_read(std::uintptr_t first, std::ptrdiff_t row_stride_bytes,
                        std::ptrdiff_t column_stride_bytes, std::uint32_t rows, std::uint32_t columns,
                        std::size_t element_bytes, CallSite site) {
  const std::uint32_t by = pack(kWholeSimdgroup + assay_lane->simdgroup_index, site);
  if (first % element_bytes != 0)
    misaligned(first, {"tensor", static_cast<std::uint32_t>(element_bytes)}, {site.file, site.line});
  for_each_run(first, row_stride_bytes, column_stride_bytes, rows, columns, element_bytes,
               [&](std::uintptr_t address, std::size_t bytes) { run_access(address, bytes, false, by); });
}

// Outside the arena: the lane's own stack, constants, and what the library has of the runtime's.
void Checker::foreign(std::uintptr_t address, std::size_t size_bytes, bool write, std::uint32_t by,
                      std::uintptr_t lowest) {
  const Lane& lane = *reinterpret_cast<const Lane*>(assay_lane);
  if (unit_->is_private(lane, address, size_bytes, lowest))
    return private_access(address, size_bytes, write, by);
  const auto is = [&](const void* variable) {
    return address == reinterpret_cast<std::uintptr_t>(variable) && size_bytes == sizeof(void*);
  };
  const bool read =
      !write && (is_constant(address, size_bytes) || unit_->may_read(lane, address, size_bytes) ||
                 is(&assay_lane) || is(&assay_threadgroup_memory));
  if (!read) report_out_of_bounds(address, write, by);
}

bool Checker::is_constant(std::uintptr_t address, std::size_t size_bytes) const {
  const auto holds = [&](const metal::ConstantRange* one) {
    const std::uintptr_t offset = one == nullptr ? 0 : address - module_begin_ - one->begin;
    return one != nullptr && offset < one->size_bytes && size_bytes <= one->size_bytes - offset;
  };
  if (holds(last_constant_)) return true;
  last_constant_ = launch_->module->constant_before(address);
  return holds(last_constant_);
}

// Of a launch: no two of them share it, whatever stack they run on.
std::uint64_t Checker::running_lane() const {
  return std::uint64_t{now_->order.number} << 32 | assay_lane->index_in_threadgroup;
}

void Checker::private_begins(void* at, std::size_t size_bytes, std::uint32_t number, const char* name,
                             CallSite site) {
  if (launch_->odd_variable == number) std::memset(at, 0, size_bytes);  // other garbage than all have
  private_.begins(reinterpret_cast<std::uintptr_t>(at), size_bytes,
                  {number, name, {site.file, site.line}, running_lane(), {}});
}

void Checker::private_access(std::uintptr_t address, std::size_t size_bytes, bool write, std::uint32_t by) {
  if (private_.empty()) return;
  if (write) return private_.written(address, size_bytes, running_lane());
  const auto unwritten = private_.unwritten(address, size_bytes, running_lane());
  if (unwritten) report_unwritten(*unwritten, size_bytes, by);
}

}  // namespace assay::simulator
