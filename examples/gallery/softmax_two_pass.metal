// Softmax along rows, a threadgroup a row: the largest first, then the sum of what is left of it.
#include "include/reduce.h"

kernel void softmax_two_pass(device const half* x [[buffer(0)]],  // [M, N]
                             device half* y [[buffer(1)]],        // [M, N]
                             constant uint& N [[buffer(2)]],
                             uint row [[threadgroup_position_in_grid]],
                             uint thread_index [[thread_index_in_threadgroup]],
                             uint simdgroup [[simdgroup_index_in_threadgroup]],
                             uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float mosts[SIMDGROUPS], totals[SIMDGROUPS];
  device const half* row_x = x + row * N;
  device half* row_y = y + row * N;

  float most = -INFINITY;
  for (uint i = thread_index; i < N; i += THREADS) most = max(most, float(row_x[i]));
  most = largest_of_threads(most, mosts, simdgroup, lane);

  float total = 0;
  for (uint i = thread_index; i < N; i += THREADS) total += exp(float(row_x[i]) - most);
  total = sum_of_threads(total, totals, simdgroup, lane);

  const float share = 1 / total;
  for (uint i = thread_index; i < N; i += THREADS) row_y[i] = half(exp(float(row_x[i]) - most) * share);
}
