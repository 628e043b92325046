// RMS norm, a threadgroup a row. Rows have any length: quads of halves, which may lie anywhere, and a rest.
#include "include/reduce.h"

kernel void rms_norm(device const half* x [[buffer(0)]],  // [M, N]
                     device const half* w [[buffer(1)]],  // [N]
                     device half* y [[buffer(2)]],        // [M, N]
                     constant uint& N [[buffer(3)]],
                     constant float& eps [[buffer(4)]],
                     uint row [[threadgroup_position_in_grid]],
                     uint thread_index [[thread_index_in_threadgroup]],
                     uint simdgroup [[simdgroup_index_in_threadgroup]],
                     uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float parts[SIMDGROUPS];
  device const half* row_x = x + row * N;
  device half* row_y = y + row * N;
  device const packed_half4* quads = (device const packed_half4*)row_x;
  const uint in_quads = N / 4 * 4;

  float squares = 0;
  for (uint i = thread_index; i < N / 4; i += THREADS) {
    const float4 quad = float4(half4(quads[i]));
    squares += dot(quad, quad);
  }
  for (uint i = in_quads + thread_index; i < N; i += THREADS) squares += float(row_x[i]) * float(row_x[i]);

  const float mean = sum_of_threads(squares, parts, simdgroup, lane) / N;
  const float scale = rsqrt(mean + eps);
  for (uint i = thread_index; i < N; i += THREADS) row_y[i] = half(float(row_x[i]) * scale * float(w[i]));
}
