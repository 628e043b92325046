// The baseline GEMM: one tile of A and one of W in threadgroup memory; load, barrier, multiply, barrier.
#include "include/fp4.h"
#include "include/load.h"
#include "include/store.h"

kernel void marlin_gemm_fp4_single_stage(device const half* A [[buffer(0)]],       // [M, K]
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
  threadgroup half B_tile[TILE_K * TILE_N];

  const Shape shape = {M, N, K, group_size};
  const Fp4Weights weights = {B, scales, shape};
  const Corner tile = tile_corner(threadgroup_position);
  const Corner part = part_corner(simdgroup);

  Sums sums;
  clear(sums);
  for (uint k = 0; k < shape.K; k += TILE_K) {
    load_a(A, shape, tile.row, k, A_tile.stage[0], thread_index, THREADS);
    load_b(weights, k, tile.column, B_tile, thread_index, THREADS);
    threadgroup_barrier(mem_flags::mem_threadgroup);  // the tiles are complete
    multiply(A_tile.stage[0], B_tile, part, sums);
    threadgroup_barrier(mem_flags::mem_threadgroup);  // everybody is done with them
  }

  store(sums, A_tile.strip[simdgroup], C, shape, tile + part, lane);
}
