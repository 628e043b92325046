// refused, line 5: atomics of 64 bits have atomic_min_explicit and atomic_max_explicit only
#include <metal_stdlib>
using namespace metal;
kernel void arrive(device atomic_ulong* total, device ulong* before, uint at [[thread_position_in_grid]]) {
  before[at] = atomic_fetch_add_explicit(total, ulong(at), memory_order_relaxed);
}
