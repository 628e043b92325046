// What a launch did: barriers, matrix operations, and what moved to and from memory. docs/claims.md says what
// these are compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::device {

/// Memory is fetched in aligned lines of this size: a transaction.
inline constexpr std::size_t kLineBytes = 128;

/// What all threadgroups of a launch did with one object: a buffer, or a variable in threadgroup memory.
struct Traffic {
  std::string name;  ///< of the parameter or the variable
  std::size_t size_bytes = 0;
  std::uint64_t loaded_bytes = 0, stored_bytes = 0;
  std::uint32_t loaders = 0, writers = 0;  ///< most threads of one threadgroup that load, store

  // Of buffers only:
  std::size_t end_bytes = 0;            ///< one past the last byte that was touched
  std::uint64_t distinct_bytes = 0;     ///< loaded, each counted once for each threadgroup that loads it
  std::uint32_t fewest_loads = 0;       ///< of a byte that a threadgroup loads, by that threadgroup
  std::uint32_t most_loads = 0;         ///< likewise
  std::uint64_t transactions = 0;       ///< lines that the lanes of a simdgroup touched together
  std::uint64_t transaction_bytes = 0;  ///< of those lines, the bytes that were asked for
};

/// What the simdgroups of one index did, over all threadgroups.
struct SimdgroupWork {
  std::uint64_t barriers = 0;
  std::uint64_t matrix_loads = 0, matrix_stores = 0, matrix_multiplications = 0;
};

struct Counts {
  std::uint32_t threads = 0;                ///< per threadgroup
  std::uint64_t threadgroups = 0;           ///< that ran
  std::uint64_t threadgroup_barriers = 0;   ///< of all threadgroups
  std::vector<SimdgroupWork> simdgroups;    ///< by index in the threadgroup
  std::vector<Traffic> buffers;             ///< by buffer index; those not bound have size 0
  std::vector<Traffic> threadgroup_memory;  ///< variables, then arguments; those not used have size 0

  /// Of one threadgroup, without padding.
  std::size_t threadgroup_bytes() const;
};

}  // namespace assay::device
