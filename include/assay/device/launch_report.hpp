// What a device saw while it ran a kernel: faults that are not in the output.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/device/counts.hpp"

namespace assay::device {

enum class FaultKind {
  race,                ///< two accesses, one a write, that nothing orders
  out_of_bounds,       ///< an address outside every object the kernel may touch
  misaligned,          ///< an address that is no multiple of what the type at it asks for
  uninitialised_read,  ///< a read of bytes nobody wrote
  divergent_barrier,   ///< a barrier that not all threads reach
  deadlock,            ///< threads that wait for one another for ever
  needs_residency,     ///< threads that wait for a threadgroup that need not run until theirs has ended
  over_budget,         ///< more threadgroup memory or threads than the device has
  crash,               ///< the kernel stopped the processor (wild jump)
  undefined,           ///< an operation whose result Metal leaves undefined, such as a shift by the width
};

/// A place in kernel source. `line` 0 means unknown.
struct SourcePlace {
  std::string file;
  std::uint32_t line = 0;
  bool operator==(const SourcePlace&) const = default;
};

/// One access of a fault: who did what, where.
struct Access {
  std::string what;  ///< e.g. "write of 2 bytes by thread 37 (simdgroup 1, lane 5) of threadgroup (0,1,0)"
  SourcePlace place;
  std::optional<bool> write = {};  ///< a write or a read; neither where it is no access of memory
  std::string agent = {};          ///< who, in words, without what was done; empty where only `what` says it
  /// Of one thread of the threadgroup that the fault was seen in, or of one of its simdgroups as a whole.
  std::optional<std::uint32_t> thread = {}, simdgroup = {}, lane = {};
};

/// Barriers at one place that a threadgroup, or one of its simdgroups, passed near the two accesses of a
/// race.
struct PassedBarrier {
  std::optional<std::uint32_t> simdgroup = {};             ///< whose it is; none: the whole threadgroup's
  bool orders_device = false, orders_threadgroup = false;  ///< the memory that its flags name
  SourcePlace place;
  std::uint64_t count = 1;  ///< so many times one after another
  bool between = false;     ///< it lay between the accesses; else it was the last before both
};

/// One line per (kind, place): the first occurrence, and how many followed.
struct Fault {
  FaultKind kind{};
  std::string message;  ///< one line, in words, without the place
  SourcePlace place;
  std::vector<Access> accesses;  ///< the accesses involved, the reported one first
  std::uint64_t count = 1;
  unsigned scope = 0;  ///< of a race: 0 inside a simdgroup, 1 a threadgroup, 2 between threadgroups
  /// Of a race inside one threadgroup: the barriers that matter to it, in the order in which they were
  /// passed.
  std::vector<PassedBarrier> barriers = {};
  bool more_barriers = false;  ///< there were others between the accesses, too long ago to be known
  /// When it could first change what a launch does: a fault with a smaller number does not follow from one
  /// with a larger. 0: not known.
  std::uint64_t moment = 0;
  /// Of an uninitialised read of a variable of a thread's own: its number in the text
  /// (Dispatch::odd_variable).
  std::optional<std::uint32_t> variable = {};
  /// The buffer, texture or threadgroup memory that it is about, as `message` calls it; "" where it is about
  /// none of these.
  std::string object = {};
  /// Of an access out of bounds: nothing of the kernel's memory is anywhere near.
  bool stray = false;
  /// Of a race: two writes, which have stored the same value each time that they were seen.
  bool same_value = false;
};

/// Loads of atomics, at one place, that gave an older value than the one a change at another place had left:
/// no fault of theirs, but what is wrong afterwards may come of it.
struct OldValue {
  std::string object;
  Access load, change;  ///< the first of them
  std::uint64_t count = 1;
};

/// Lanes that were given, at one place, the value of a lane that took no part: undefined, and no fault where
/// nothing comes of it.
struct InactiveRead {
  Access read;              ///< the first in the first threadgroup where one was
  std::uint32_t lane = 0;   ///< whose value it was
  std::uint64_t order = 0;  ///< of that threadgroup in the grid
};

/// Who stored a byte last in a launch.
struct Writer {
  static constexpr std::uint32_t kNobody = ~0U;
  std::uint32_t threadgroup = kNobody;  ///< its position in the grid, x fastest
  std::uint32_t simdgroup = kNobody;    ///< in the threadgroup; nobody's where only the threadgroup is known
  bool operator==(const Writer&) const = default;
};

struct LaunchReport {
  std::vector<Fault> faults;
  std::vector<OldValue> old_values = {};          ///< one entry for each pair of places
  std::vector<InactiveRead> inactive_reads = {};  ///< one entry for each place
  /// Results that Metal leaves undefined, where an operation has one: no fault of theirs, but what is wrong
  /// afterwards comes of it. Of kind FaultKind::undefined.
  std::vector<Fault> undefined = {};
  /// Threads that ran, counted where they run rather than where the launch was asked for (Metal's statistic
  /// computeKernelInvocations); of several launches, their sum. None where the device does not count.
  std::optional<std::uint64_t> kernel_invocations = {};

  /// By argument and byte, of devices that were asked to say so; else empty.
  std::vector<std::vector<Writer>> writers = {};
  /// The same by texture index.
  std::vector<std::vector<Writer>> texture_writers = {};
  /// The same by place in Dispatch::pointers, of what they lead to.
  std::vector<std::vector<Writer>> pointer_writers = {};

  /// Of each condition of a kernel that notes them, what it has been since the device was made: 1 false, 2
  /// true, 3 both. Empty where DeviceOptions::conditions did not ask.
  std::vector<std::uint8_t> conditions = {};

  /// Of devices that count.
  std::shared_ptr<const Counts> counts = {};

  bool clean() const { return faults.empty(); }
};

}  // namespace assay::device
