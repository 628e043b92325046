// The triple-buffered GEMM for a few rows, as in decoding token by token: a tile of 16 rows holds few rows
// that do not exist, and 15,360 bytes leave room for a second threadgroup. The parts lie side by side.
#define TILE_M 16
#define PART_M 16
#define PART_N 32
#include "include/fp4.h"
#include "include/triple.h"

kernel void marlin_gemm_fp4_decode(device const half* A [[buffer(0)]],       // [M, K]
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
