// A split-K product whose partial sums are atomics: what two fences publish, a counter alone does not.
#include <metal_stdlib>
using namespace metal;

constant constexpr uint TILE = 64;
constant float kLevels[8] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f};

METAL_FUNC half decode(uint code, half scale) {
  half v = half(kLevels[code & 7]);
  return (code & 8 ? -v : v) * scale;
}

METAL_FUNC void device_fence() {
  atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
}

kernel void atomic_partials(device const half* A [[buffer(0)]], device const uint* B [[buffer(1)]],
                            device const half* scales [[buffer(2)]], device half* C [[buffer(3)]],
                            device atomic_float* partials [[buffer(4)]], device atomic_uint* counters [[buffer(5)]],
                            constant uint& M [[buffer(6)]], constant uint& N [[buffer(7)]],
                            constant uint& K [[buffer(8)]], constant uint& group [[buffer(9)]],
                            constant uint& parallel [[buffer(10)]],
                            uint threadgroup_position [[threadgroup_position_in_grid]],
                            uint threadgroups [[threadgroups_per_grid]],
                            uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup uint arrived;
  const uint across = (N + TILE - 1) / TILE, tiles = (M + TILE - 1) / TILE * across;
  const uint words = (K + 7) / 8, share = (words + parallel - 1) / parallel * 8;
  for (uint unit = threadgroup_position; unit < tiles * parallel; unit += threadgroups) {
    const uint tile = unit / parallel, slice = unit % parallel;
    const uint row0 = tile / across * TILE, column0 = tile % across * TILE;
    for (uint e = thread_index; e < TILE * TILE; e += 128) {
      const uint row = row0 + e / TILE, column = column0 + e % TILE;
      if (row >= M || column >= N) continue;
      float sum = 0;
      for (uint k = slice * share; k < min((slice + 1) * share, K); ++k) {
        const half w = decode(B[k / 8 * N + column] >> (k % 8 * 4) & 15, scales[k / group * N + column]);
        sum += float(A[row * K + k]) * float(w);
      }
      atomic_store_explicit(&partials[(slice * M + row) * N + column], sum, memory_order_relaxed);
    }
    threadgroup_barrier(mem_flags::mem_device);
    if (thread_index == 0) {
      device_fence();  // what was stored comes before the count
      arrived = atomic_fetch_add_explicit(&counters[tile], 1, memory_order_relaxed) + 1;
      device_fence();  // and the count before what is loaded
    }
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    if (arrived == parallel) {
      for (uint e = thread_index; e < TILE * TILE; e += 128) {
        const uint row = row0 + e / TILE, column = column0 + e % TILE;
        if (row >= M || column >= N) continue;
        float sum = 0;
        for (uint s = 0; s < parallel; ++s) {
          const uint at = (s * M + row) * N + column;
          sum += atomic_load_explicit(&partials[at], memory_order_relaxed);
          atomic_store_explicit(&partials[at], 0.0f, memory_order_relaxed);
        }
        C[row * N + column] = half(sum);
      }
      if (thread_index == 0) atomic_store_explicit(&counters[tile], 0, memory_order_relaxed);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
}
