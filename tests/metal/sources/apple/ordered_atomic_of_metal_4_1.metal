// loads
// metal: 4.1
#include <metal_stdlib>
using namespace metal;
kernel void arrive(device atomic_uint* counter, device uint* out, uint at [[thread_position_in_grid]]) {
  out[at] = atomic_fetch_or_explicit(counter, 1u, memory_order_acquire);
}
