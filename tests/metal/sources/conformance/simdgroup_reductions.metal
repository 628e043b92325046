// Reductions in two steps: over the lanes of each simdgroup, then over what the simdgroups found.
#include <metal_stdlib>
using namespace metal;

struct Largest {
  static float nothing() { return -INFINITY; }
  static float of_lanes(float x) { return simd_max(x); }
};
struct Total {
  static float nothing() { return 0.f; }
  static float of_lanes(float x) { return simd_sum(x); }
};

// Of all threads; `slots` has one for each lane. Whoever calls this again must see to it that all have read.
template <typename Reduction>
static float reduced(float x, threadgroup float *slots, ushort lane, ushort simd) {
  const float own = Reduction::of_lanes(x);
  if (simd == 0) {
    slots[lane] = Reduction::nothing();
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (lane == 0) slots[simd] = own;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return Reduction::of_lanes(slots[lane]);
}

// Each player's share of exp(score + handicap), a table for each threadgroup.
template <bool Ordered>
kernel void shares(device const float *scores, device const half *handicaps, device float *out,
                   constant uint &players, threadgroup float *slots [[threadgroup(0)]],
                   uint table [[threadgroup_position_in_grid]], uint i [[thread_position_in_threadgroup]],
                   uint threads [[threads_per_threadgroup]], ushort lane [[thread_index_in_simdgroup]],
                   ushort simd [[simdgroup_index_in_threadgroup]]) {
  device const float *row = scores + table * players;
  float best = -INFINITY;
  for (uint k = i; k < players; k += threads) best = max(best, row[k] + handicaps[k]);
  best = reduced<Largest>(best, slots, lane, simd);
  float sum = 0.f;
  for (uint k = i; k < players; k += threads) {
    const float weight = exp(row[k] + handicaps[k] - best);
    out[table * players + k] = weight;
    sum += weight;
  }
  simdgroup_barrier(mem_flags::mem_none);
  if (Ordered) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
  } else {
    threadgroup_barrier(mem_flags::mem_none);
  }
  sum = reduced<Total>(sum, slots, lane, simd);
  for (uint k = i; k < players; k += threads) out[table * players + k] /= sum;
}
template [[host_name("shares_ordered")]] kernel decltype(shares<true>) shares<true>;
template [[host_name("shares_unordered")]] kernel decltype(shares<false>) shares<false>;
