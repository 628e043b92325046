// Who made an access, in 11 bits: a lane, a whole simdgroup, or a set of readers.
#pragma once

#include <cstdint>

#include "harness/simulator/lane.hpp"

namespace assay::simulator {

enum : std::uint32_t {
  kWholeSimdgroup = kMaxThreads,                           ///< + simdgroup: its matrix operations
  kSeveralOfSimdgroup = kWholeSimdgroup + kMaxSimdgroups,  ///< + simdgroup
  kSeveralSimdgroups = kSeveralOfSimdgroup + kMaxSimdgroups,
  kSeveralThreadgroups,
  kAtomic,  ///< an atomic operation of any lane
  kAgentBits = 11,
  kAgentMask = (1u << kAgentBits) - 1,
  /// Places: an offset in the module's code, or, with this bit, a line (16 bits) and a file (4 bits).
  kLinePlace = 1u << 20,
  kNoSimdgroup = ~0u,
};
static_assert(kAtomic <= kAgentMask);

inline std::uint32_t agent_of(std::uint32_t by) { return by & kAgentMask; }

/// One lane or one whole simdgroup: its own accesses are ordered among themselves.
inline bool is_single(std::uint32_t agent) { return agent < kSeveralOfSimdgroup || agent == kAtomic; }

inline std::uint32_t simdgroup_of(std::uint32_t agent) {
  if (agent < kWholeSimdgroup) return agent / kWidth;
  if (agent < kSeveralOfSimdgroup) return agent - kWholeSimdgroup;
  if (agent < kSeveralSimdgroups) return agent - kSeveralOfSimdgroup;
  return kNoSimdgroup;
}

}  // namespace assay::simulator
