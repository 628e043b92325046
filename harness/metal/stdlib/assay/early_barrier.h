// Included by assay/metal.h. The simdgroup barrier behind which there is only matrix work up to the next one (harness/metal/clang/early_barriers.hpp).
#pragma once

inline __attribute__((always_inline)) void assay_early_barrier(metal::mem_flags flags, uint line = __builtin_LINE(),
                                                               const char* file = __builtin_FILE()) {
#ifndef ASSAY_DISTRIBUTED_MATRICES
  if (assay_msl::lane_in_simdgroup() != 0) {
    assay_simdgroup_arrive_early(uint(flags), line, file);
    return;
  }
#endif
  assay_simdgroup_barrier(uint(flags), line, file);
}
