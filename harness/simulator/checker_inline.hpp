// The paths of the checker that nearly every access takes, kept short.
#pragma once

#include "harness/simulator/address_space.hpp"
#include "harness/simulator/agent.hpp"
#include "harness/simulator/checker.hpp"

/// In a function that compiled code calls: where the stack of that code ends.
#define ASSAY_CALLERS_STACK reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa())

namespace assay::simulator {

inline bool Checker::inside(std::uintptr_t address, std::size_t size_bytes) {
  return address - kBase < kSpan && size_bytes <= kSpan - (address - kBase);
}

inline ShadowCell* Checker::cell(std::uintptr_t address) const {
  return reinterpret_cast<ShadowCell*>(kShadowBase) + ((address - kBase) >> unit_shift_);
}

inline std::uint32_t Checker::pack(std::uint32_t agent, std::uintptr_t return_address) const {
  const std::uintptr_t offset = return_address - module_begin_;
  return agent | static_cast<std::uint32_t>(offset < kLinePlace ? offset : 0) << kAgentBits;
}

// Ordered without a closer look: before this launch (or, in threadgroup memory, this threadgroup), before the
// last barrier of the threadgroup or, if it was my simdgroup's doing, of the simdgroup, or my own.
inline bool Checker::quick(std::uint32_t clock, std::uint32_t by, unsigned space, std::uint32_t me) const {
  const Space& s = spaces_[space];
  if (clock < s.floor) return true;
  if (clock < s.mine) return false;
  if (clock < s.barrier || ((by ^ me) & kAgentMask) == 0) return true;
  const Simdgroup& group = *reinterpret_cast<const Lane*>(assay_lane)->simdgroup;
  return clock < group.synchronised[space] && simdgroup_of(agent_of(by)) == group.index;
}

inline void Checker::read(ShadowCell& cell, unsigned space, std::uint32_t by, std::uintptr_t address) {
  const Space& s = spaces_[space];
  // A matrix that one operation of a simdgroup has stored and another loads passes between its lanes: that
  // the simdgroup is the same orders nothing. (That a store follows a load is the lanes' own order.)
  const bool passed_on = agent_of(by) >= kWholeSimdgroup && agent_of(by) == agent_of(cell.write_by);
  const bool fine =
      cell.write_clock >= s.defined && !passed_on && quick(cell.write_clock, cell.write_by, space, by);
  if (fine) {
    if (quick(cell.read_clock, cell.read_by, space, by)) {
      cell.read_clock = clock_;
      cell.read_by = by;
      return;
    }
    const std::uint32_t other = agent_of(cell.read_by), me = agent_of(by);
    if (cell.read_clock >= s.mine && other <= kSeveralSimdgroups && me < kSeveralOfSimdgroup) {
      // Another reader of my threadgroup: as read_slow() merges them.
      const bool together = simdgroup_of(other) == simdgroup_of(me);
      cell.read_clock = clock_;
      cell.read_by = (together ? kSeveralOfSimdgroup + simdgroup_of(me) : std::uint32_t{kSeveralSimdgroups}) |
                     (by & ~kAgentMask);
      return;
    }
    if (agent_of(cell.read_by) == kSeveralThreadgroups && cell.read_clock >= s.floor && !meeting_) return;
  }
  read_slow(cell, space, by, address);
}

inline void Checker::write(ShadowCell& cell, unsigned space, std::uint32_t by, std::uintptr_t address) {
  if (cell.write_clock != kUnallocated && quick(cell.write_clock, cell.write_by, space, by) &&
      quick(cell.read_clock, cell.read_by, space, by)) {
    cell.write_clock = clock_;
    cell.write_by = by;
    return;
  }
  write_slow(cell, space, by, address);
}

template <std::size_t Bytes, bool Write>
inline void Checker::access_fixed(std::uintptr_t address, std::uintptr_t return_address) {
  const std::uint32_t by = pack(assay_lane->index_in_threadgroup, return_address);
  if (address - kBase >= kSpan) [[unlikely]] {
    foreign(address, Bytes, Write, by, ASSAY_CALLERS_STACK);
    return;
  }
  if (Bytes % 2 != 0 || unit_shift_ != 1 || address % 2 != 0) [[unlikely]] {
    touch(address, Bytes, Write, by);
    return;
  }
  const unsigned space = address - kBase >= kThreadgroupOffset ? 1 : 0;
  if (space == 1 && address - window_ >= kWindowBytes) [[unlikely]]
    return report_out_of_bounds(address, Write, by);
  ShadowCell* const cells = reinterpret_cast<ShadowCell*>(kShadowBase) + (address - kBase) / 2;
  for (std::size_t i = 0; i < Bytes / 2; ++i) {
    if constexpr (Write) {
      write(cells[i], space, by, address + 2 * i);
    } else {
      read(cells[i], space, by, address + 2 * i);
    }
  }
}

}  // namespace assay::simulator
