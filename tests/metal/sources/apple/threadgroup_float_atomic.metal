// refused, line 7: `total`: an atomic float in threadgroup memory has no operations
#include <metal_stdlib>
using namespace metal;
kernel void total_of(device const float* all, device float* out, uint at [[thread_index_in_threadgroup]]) {
  threadgroup atomic<float> total;
  if (at == 0)
    atomic_store_explicit(&total, 0, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[at] = all[at];
}
