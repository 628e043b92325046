// loads
#include <metal_stdlib>
using namespace metal;
kernel void arrive(device atomic_ulong* largest, device atomic<ulong>* smallest, device const ulong* keys,
                   uint at [[thread_position_in_grid]]) {
  atomic_max_explicit(largest, keys[at], memory_order_relaxed);
  atomic_min_explicit(smallest, keys[at], memory_order_relaxed);
}
