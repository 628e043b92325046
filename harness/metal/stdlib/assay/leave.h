// Included by assay/metal.h. What stands where a thread leaves the kernel (harness/metal/clang/leaving.hpp): checked code
// tells the simulator, whose report of a barrier names the line.
#pragma once

#ifdef ASSAY_CHECKED
inline ASSAY_UNINSTRUMENTED
#else
ASSAY_INLINE
#endif
void assay_leave(uint line = __builtin_LINE(), const char* file = __builtin_FILE()) {
#ifdef ASSAY_CHECKED
  assay_lane_leaves(line, file);
#else
  (void)line, (void)file;
#endif
}
