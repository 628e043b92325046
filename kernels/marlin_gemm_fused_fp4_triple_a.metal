// The fused GEMM with three tiles of A: the load runs two K tiles ahead, and one threadgroup barrier a K tile
// is enough.
#include "include/fp4.h"
#include "include/fused.h"

kernel void marlin_gemm_fused_fp4_triple_a(device const half* A [[buffer(0)]],       // [M, K]
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
  threadgroup half B_staging[STAGING_HALVES];

  const Shape shape = {M, N, K, group_size};
  const Fp4Weights weights = {B, scales, shape};
  const Corner tile = tile_corner(threadgroup_position);
  const Corner part = part_corner(simdgroup);
  threadgroup half* own_staging = B_staging + simdgroup * (8 * 8);

  Sums sums;
  clear(sums);
  load_a(A, shape, tile.row, 0, A_tiles.stage[0], thread_index, THREADS);
  if (TILE_K < shape.K) load_a(A, shape, tile.row, TILE_K, A_tiles.stage[1], thread_index, THREADS);
  threadgroup_barrier(mem_flags::mem_threadgroup);  // the first tiles are complete

  uint current = 0;
  for (uint k = 0; k < shape.K; k += TILE_K) {
    const uint ahead_k = k + 2 * TILE_K;
    const uint ahead = (current + 2) % 3;
    if (ahead_k < shape.K) load_a(A, shape, tile.row, ahead_k, A_tiles.stage[ahead], thread_index, THREADS);
    multiply_fused(weights, A_tiles.stage[current], own_staging, k, part, tile + part, lane, sums);
    threadgroup_barrier(mem_flags::mem_threadgroup);  // everybody is done with current, the next load's place
    current = (current + 1) % 3;
  }
  store(sums, A_tiles.strip[simdgroup], C, shape, tile + part, lane);
}
