// The GEMM with trellis weights for a few rows, as in decoding token by token: a tile of 32 rows holds few
// rows that do not exist, and is twice as wide. The parts lie side by side.
#define TILE_M 32
#define TILE_N 128
#include "include/double_a.h"
#include "include/trellis.h"

kernel void gemm_trellis_packed_decode(
    device const half* A [[buffer(0)]],                // [M, K]
    device const uchar* packed_indices [[buffer(1)]],  // [K tiles, N tiles, 32*bits]
    device const float* scales [[buffer(2)]],          // [groups, N]
    device const float* grid [[buffer(3)]],            // [n_levels]
    device const float* su [[buffer(4)]],              // [K]
    device const float* sv [[buffer(5)]],              // [N]
    device half* C [[buffer(6)]],                      // [M, N]
    constant uint& M [[buffer(7)]],
    constant uint& N [[buffer(8)]],
    constant uint& K [[buffer(9)]],
    constant uint& group_size [[buffer(10)]],
    constant uint& bits [[buffer(11)]],
    constant uint& n_levels [[buffer(12)]],
    uint2 threadgroup_position [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup half A_tiles[2][TILE_M * TILE_K];
  threadgroup Staging stagings[PARTS];

  const TrellisWeights weights = {packed_indices, scales, grid, su, sv, {M, N, K, group_size}, bits,
                                  n_levels};
  gemm_double_a(weights, A, C, threadgroup_position, {thread_index, simdgroup, lane}, A_tiles, stagings);
}
