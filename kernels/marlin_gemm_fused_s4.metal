// The fused GEMM with signed INT4 weights and zero points.
#include "include/int4.h"
#include "include/fused.h"

kernel void marlin_gemm_fused_s4(device const half* A [[buffer(0)]],       // [M, K]
                                 device const uint* B [[buffer(1)]],       // [ceil(K / 8), N]
                                 device const half* scales [[buffer(2)]],  // [groups, N]
                                 device const half* zeros [[buffer(3)]],   // as scales
                                 device half* C [[buffer(4)]],             // [M, N]
                                 constant uint& M [[buffer(5)]],
                                 constant uint& N [[buffer(6)]],
                                 constant uint& K [[buffer(7)]],
                                 constant uint& group_size [[buffer(8)]],
                                 uint2 threadgroup_position [[threadgroup_position_in_grid]],
                                 uint thread_index [[thread_index_in_threadgroup]],
                                 uint simdgroup [[simdgroup_index_in_threadgroup]],
                                 uint lane [[thread_index_in_simdgroup]]) {
  threadgroup ATiles<1> A_tile;
  threadgroup half B_staging[STAGING_HALVES];

  const S4Weights weights = {B, scales, zeros, {M, N, K, group_size}};
  gemm_fused(weights, A, C, threadgroup_position, {thread_index, simdgroup, lane}, A_tile, B_staging);
}
