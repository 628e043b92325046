// Running sums of a whole array in one launch. A threadgroup sums up a tile, publishes its sum, and looks
// back over the tiles before its own until it meets one that knows what comes before it. Tiles are numbered
// in the order in which threadgroups begin, so that whoever is waited for has begun.
#include <metal_stdlib>
using namespace metal;

constant constexpr uint THREADS = 64;
constant constexpr uint SIMDGROUPS = THREADS / 32;
constant constexpr uint EACH = 4;  // elements of a thread, one behind the other
constant constexpr uint TILE = THREADS * EACH;

constant constexpr uint HAS_SUM = 1;     // sums[tile] is there
constant constexpr uint HAS_PREFIX = 2;  // and prefixes[tile]

/// After this, whoever reads `state` sees what this thread wrote before.
inline void publish(device atomic_uint* state, uint what) {
  atomic_thread_fence(mem_flags::mem_device, memory_order_release, thread_scope_device);
  atomic_store_explicit(state, what, memory_order_relaxed);
}

/// Waits until there is something, and says what.
inline uint await(device atomic_uint* state) {
  uint what;
  do {
    what = atomic_load_explicit(state, memory_order_relaxed);
  } while (what == 0);
  atomic_thread_fence(mem_flags::mem_device, memory_order_acquire, thread_scope_device);
  return what;
}

kernel void prefix_sum(device const float* x [[buffer(0)]],       // [N]
                       device float* y [[buffer(1)]],             // [N]
                       device atomic_uint* begun [[buffer(2)]],   // tiles that were taken; 0 at first
                       device atomic_uint* states [[buffer(3)]],  // one a tile; 0 at first
                       device coherent(device) float* sums [[buffer(4)]],      // of each tile
                       device coherent(device) float* prefixes [[buffer(5)]],  // of all up to the end of each tile
                       constant uint& N [[buffer(6)]],
                       uint thread_index [[thread_index_in_threadgroup]],
                       uint simdgroup [[simdgroup_index_in_threadgroup]],
                       uint lane [[thread_index_in_simdgroup]]) {
  threadgroup uint taken;
  threadgroup float parts[SIMDGROUPS];
  threadgroup float sum_before;
  if (thread_index == 0) taken = atomic_fetch_add_explicit(begun, 1, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint tile = taken;
  const uint first = tile * TILE + thread_index * EACH;

  float running[EACH];
  float sum = 0;
  for (uint i = 0; i < EACH; ++i) {
    if (first + i < N) sum += x[first + i];
    running[i] = sum;
  }
  float before = simd_prefix_exclusive_sum(sum);
  if (lane == 31) parts[simdgroup] = before + sum;
  threadgroup_barrier(mem_flags::mem_threadgroup);

  if (thread_index == 0) {
    float of_tile = 0;
    for (uint i = 0; i < SIMDGROUPS; ++i) of_tile += parts[i];
    sums[tile] = of_tile;
    publish(&states[tile], HAS_SUM);
    float of_others = 0;
    for (uint other = tile; other > 0; --other) {
      if (await(&states[other - 1]) == HAS_PREFIX) {
        of_others += prefixes[other - 1];
        break;
      }
      of_others += sums[other - 1];
    }
    prefixes[tile] = of_others + of_tile;
    publish(&states[tile], HAS_PREFIX);
    sum_before = of_others;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);

  before += sum_before;
  for (uint i = 0; i < simdgroup; ++i) before += parts[i];
  for (uint i = 0; i < EACH; ++i)
    if (first + i < N) y[first + i] = before + running[i];
}
