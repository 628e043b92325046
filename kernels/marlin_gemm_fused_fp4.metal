// The fused GEMM: weights are dequantized where they are multiplied, and only A has a tile.
#include "include/fp4.h"
#include "include/fused.h"

kernel void marlin_gemm_fused_fp4(device const half* A [[buffer(0)]],       // [M, K]
                                  device const uint* B [[buffer(1)]],       // [ceil(K / 8), N]
                                  device const half* scales [[buffer(2)]],  // [groups, N]
                                  device half* C [[buffer(3)]],             // [M, N]
                                  constant uint& M [[buffer(4)]],
                                  constant uint& N [[buffer(5)]],
                                  constant uint& K [[buffer(6)]],
                                  constant uint& group_size [[buffer(7)]],
                                  uint2 threadgroup_position [[threadgroup_position_in_grid]],
                                  uint thread_index [[thread_index_in_threadgroup]],
                                  uint simdgroup [[simdgroup_index_in_threadgroup]],
                                  uint lane [[thread_index_in_simdgroup]]) {
  threadgroup ATiles<1> A_tile;
  threadgroup half B_staging[STAGING_HALVES];

  const Fp4Weights weights = {B, scales, {M, N, K, group_size}};
  gemm_fused(weights, A, C, threadgroup_position, {thread_index, simdgroup, lane}, A_tile, B_staging);
}
