// The triple-buffered GEMM: half of the simdgroups load two K tiles ahead of the half that multiplies.
// Two simdgroups own the tile, so a part is half of its rows in full width. The host picks the tile.
#define PART_M (TILE_M / 2)
#define PART_N TILE_N
#include "include/fp4.h"
#include "include/triple.h"

kernel void marlin_gemm_fp4_triple(device const half* A [[buffer(0)]],       // [M, K]
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
  threadgroup ATiles<3> A_tiles;
  threadgroup half B_tiles[3][TILE_K * TILE_N];

  const Fp4Weights weights = {B, scales, {M, N, K, group_size}};
  gemm_triple(weights, A, C, threadgroup_position, {thread_index, simdgroup, lane}, A_tiles, B_tiles);
}
