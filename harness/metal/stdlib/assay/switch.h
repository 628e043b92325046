// Switching lanes from within kernel code.
//
// A fiber switch ends in a jump, not in a return, so the processor's stack of return addresses is off by one
// behind it and every return up to the kernel's code is mispredicted. Called straight from the kernel's code,
// there is none.
#pragma once

extern "C" {
struct assay_transfer {
  void* context;
  void* data;
};
assay_transfer jump_fcontext(void* to, void* data);  // Boost.Context
}

static inline __attribute__((always_inline)) void assay_resume(assay_lane_t* to) {
  assay_lane_t* const me = assay_lane;
  if (to == me) return;
  assay_lane = to;
  const assay_transfer back = jump_fcontext(to->context, me);
  static_cast<assay_lane_t*>(back.data)->context = back.context;
}

#define assay_threadgroup_barrier(flags, line, file) assay_resume(assay_threadgroup_arrive(flags, line, file))
#define assay_simdgroup_barrier(flags, line, file) assay_resume(assay_simdgroup_arrive(flags, line, file))
