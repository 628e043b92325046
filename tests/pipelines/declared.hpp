// Simdgroup matrices that a kernel's text declares: the registers that can be counted without a GPU.
#pragma once

#include <cstdint>

#include "harness/verify/manifest.hpp"

namespace assay::tests {

/// How many 8x8 matrices a simdgroup has a variable for. Two variables of scopes that do not overlap both
/// count.
struct DeclaredMatrices {
  std::int64_t floats = 0;  ///< sums
  std::int64_t halves = 0;  ///< fragments of A and B
  /// What they hold, over all lanes.
  std::int64_t bytes() const { return 8 * 8 * (4 * floats + 2 * halves); }
};

/// Those of the kernel and of what it uses, its manifest's definitions filled in. Throws what preprocessing
/// throws, and std::runtime_error where the extent of an array is no constant.
DeclaredMatrices declared_matrices(const KernelEntry& entry);

}  // namespace assay::tests
