// Softmax along rows, a threadgroup a row, which reads its row once for the largest and the sum together:
// what was summed up is made smaller whenever something larger comes.
#include "include/reduce.h"

/// What a sum of exp(x - from) becomes one of exp(x - to) by. A sum of nothing, from -infinity, stays 0.
inline float shrink(float from, float to) { return from == -INFINITY ? 0.0f : exp(from - to); }

kernel void softmax_online(device const half* x [[buffer(0)]],  // [M, N]
                           device half* y [[buffer(1)]],        // [M, N]
                           constant uint& N [[buffer(2)]],
                           uint row [[threadgroup_position_in_grid]],
                           uint thread_index [[thread_index_in_threadgroup]],
                           uint simdgroup [[simdgroup_index_in_threadgroup]],
                           uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float mosts[SIMDGROUPS], totals[SIMDGROUPS];
  device const half* row_x = x + row * N;
  device half* row_y = y + row * N;

  float most = -INFINITY, total = 0;
  for (uint i = thread_index; i < N; i += THREADS) {
    const float value = row_x[i];
    if (value > most) {
      total *= shrink(most, value);
      most = value;
    }
    total += shrink(value, most);
  }
  const float largest = largest_of_threads(most, mosts, simdgroup, lane);
  total = sum_of_threads(total * shrink(most, largest), totals, simdgroup, lane);

  const float share = 1 / total;
  for (uint i = thread_index; i < N; i += THREADS) row_y[i] = half(exp(float(row_x[i]) - largest) * share);
}
