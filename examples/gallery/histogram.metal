// How often each byte occurs, added to what is there. A threadgroup counts 2,048 bytes in memory of its own
// first, so that threadgroups meet at each count once.
#include <metal_stdlib>
using namespace metal;

constant constexpr uint THREADS = 128;
constant constexpr uint EACH = 16;  // bytes of a thread
constant constexpr uint BINS = 256;

kernel void histogram(device const uchar* x [[buffer(0)]],       // [N]
                      device atomic_uint* counts [[buffer(1)]],  // [BINS]
                      constant uint& N [[buffer(2)]],
                      uint threadgroup_position [[threadgroup_position_in_grid]],
                      uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup atomic_uint own[BINS];
  for (uint i = thread_index; i < BINS; i += THREADS) atomic_store_explicit(&own[i], 0, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);

  const uint begin = threadgroup_position * THREADS * EACH;
  // Neighbours load neighbouring words.
  for (uint i = begin + thread_index * 4; i < min(N, begin + THREADS * EACH); i += THREADS * 4) {
    if (i + 4 <= N) {
      const uchar4 bytes = *(device const uchar4*)(x + i);
      for (uint b = 0; b < 4; ++b) atomic_fetch_add_explicit(&own[bytes[b]], 1, memory_order_relaxed);
    } else {
      for (uint b = i; b < N; ++b) atomic_fetch_add_explicit(&own[x[b]], 1, memory_order_relaxed);
    }
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);

  for (uint i = thread_index; i < BINS; i += THREADS) {
    const uint count = atomic_load_explicit(&own[i], memory_order_relaxed);
    if (count > 0) atomic_fetch_add_explicit(&counts[i], count, memory_order_relaxed);
  }
}
