// The records of a running threadgroup: lanes, their simdgroups, and what they wait for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "harness/metal/stdlib/assay/runtime.h"

namespace assay::simulator {

inline constexpr std::uint32_t kWidth = ASSAY_SIMDGROUP_WIDTH;
inline constexpr std::uint32_t kMaxThreads = 1024;
inline constexpr std::uint32_t kMaxSimdgroups = kMaxThreads / kWidth;

class ComputeUnit;
struct Simdgroup;

/// Lane::operand: with this bit, it is the same in the lanes of a quad rather than of the simdgroup.
inline constexpr std::uint32_t kOfQuads = 1u << 31, kNoOperand = ~0u;

/// A place in the kernel's text as the stand-in headers pass it.
struct CallSite {
  const char* file = nullptr;
  std::uint32_t line = 0;
  bool operator==(const CallSite&) const = default;
};

/// Barriers open by counting up: a lane waits until its gate has passed the number it met.
struct Gate {
  std::uint32_t epoch = 0;
};

/// One thread of the threadgroup. `view` is first: kernels see a pointer to it. In the order of use: a switch
/// at a simdgroup barrier touches the second and the third cache line.
struct alignas(64) Lane {
  assay_lane_t view;
  const Gate* gate;     ///< what it waits for, or an open gate
  std::uint32_t met;    ///< the epoch at which it came to its gate
  std::uint32_t early;  ///< 1 + the epoch of a simdgroup barrier it arrived at without waiting
  Lane* next;           ///< of its simdgroup, the first after the last
  Simdgroup* simdgroup;
  ComputeUnit* unit;
  CallSite wait;    ///< where it came to its gate; once `leaves`, where it left the kernel
  bool at_barrier;  ///< rather than at a collective
  bool done;
  bool leaves;            ///< it is about to end, or has
  bool failed_weakly;     ///< its last weak exchange failed without a reason
  std::uint32_t operand;  ///< of the collective that it comes to, with kOfQuads; else kNoOperand

  bool waits() const { return static_cast<std::int32_t>(gate->epoch - met) <= 0; }
  bool begun() const { return view.context != nullptr; }
};

/// The lanes of a simdgroup that have come to one barrier or collective.
struct Meeting {
  std::uint32_t arrived;
  std::uint32_t flags;  ///< that all of them named
  CallSite site;        ///< of the first
  std::uint64_t matrix_arguments;
  std::uint32_t matrix_operations;  ///< of the first, so far
  std::uint32_t odd_operations;     ///< of odd_one
  const Lane* odd_one;              ///< has done other matrix operations than the first
  bool is_barrier;
  bool mixed;  ///< they do not all wait at one place
};

static_assert(offsetof(Lane, gate) == 128 && sizeof(Lane) == 192);

struct alignas(64) Simdgroup {
  Gate gate;
  std::uint32_t expected;  ///< lanes that have not ended
  Meeting now;
  alignas(64) Meeting next;  ///< the barrier after it, of those who passed this one early
  Lane* first;
  std::uint32_t index, size;  ///< lanes first .. first + size - 1
  std::array<std::uint32_t, 2>
      synchronised;  ///< clock of the last barrier that orders device / threadgroup memory
  std::uint32_t value_bytes;
  std::uint64_t active;  ///< lanes that took part in the last collective
  alignas(64) std::array<std::array<unsigned char, 64>, kWidth> values;
  alignas(64) std::array<unsigned char, 64 * kWidth> results;
};

}  // namespace assay::simulator
