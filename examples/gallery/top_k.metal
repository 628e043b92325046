// The K largest of each row and where they are, the largest first; of equal ones the first in the row comes
// first. A threadgroup a row: in each of K rounds every thread looks for the first of its elements that comes
// after the one found last. Elements are finite.
#include <metal_stdlib>
using namespace metal;

constant constexpr uint THREADS = 64;
constant constexpr uint SIMDGROUPS = THREADS / 32;

struct Candidate {
  float value;
  uint index;
};

/// Whether `a` comes before `b`.
inline bool before(Candidate a, Candidate b) {
  return a.value > b.value || (a.value == b.value && a.index < b.index);
}

/// The first of all lanes, for each of them.
inline Candidate first_of_lanes(Candidate own) {
  for (ushort step = 16; step > 0; step /= 2) {
    const Candidate other = {simd_shuffle_xor(own.value, step), simd_shuffle_xor(own.index, step)};
    if (before(other, own)) own = other;
  }
  return own;
}

kernel void top_k(device const float* x [[buffer(0)]],  // [M, N]
                  device float* values [[buffer(1)]],   // [M, K]
                  device uint* indices [[buffer(2)]],   // [M, K]
                  constant uint& N [[buffer(3)]],
                  constant uint& K [[buffer(4)]],
                  uint row [[threadgroup_position_in_grid]],
                  uint thread_index [[thread_index_in_threadgroup]],
                  uint simdgroup [[simdgroup_index_in_threadgroup]],
                  uint lane [[thread_index_in_simdgroup]]) {
  threadgroup Candidate found[SIMDGROUPS];
  device const float* row_x = x + row * N;

  Candidate last = {INFINITY, 0};
  for (uint round = 0; round < K; ++round) {
    Candidate best = {-INFINITY, N};
    for (uint i = thread_index; i < N; i += THREADS) {
      const Candidate one = {row_x[i], i};
      if (before(last, one) && before(one, best)) best = one;
    }
    best = first_of_lanes(best);
    if (lane == 0) found[simdgroup] = best;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    last = found[0];
    for (uint i = 1; i < SIMDGROUPS; ++i)
      if (before(found[i], last)) last = found[i];
    threadgroup_barrier(mem_flags::mem_threadgroup);  // everybody has seen what was found
    if (thread_index == 0) {
      values[row * K + round] = last.value;
      indices[row * K + round] = last.index;
    }
  }
}
