// The double-buffered GEMM: while one pair of tiles is multiplied the next is loaded into the other, so that
// one barrier a K tile is enough.
#include "include/fp4.h"
#include "include/load.h"
#include "include/store.h"

kernel void marlin_gemm_fp4(device const half* A [[buffer(0)]],       // [M, K]
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
  threadgroup ATiles<2> A_tiles;
  threadgroup half B_tiles[2][TILE_K * TILE_N];

  const Shape shape = {M, N, K, group_size};
  const Fp4Weights weights = {B, scales, shape};
  const Corner tile = tile_corner(threadgroup_position);
  const Corner part = part_corner(simdgroup);

  Sums sums;
  clear(sums);
  uint current = 0;
  load_a(A, shape, tile.row, 0, A_tiles.stage[0], thread_index, THREADS);
  load_b(weights, 0, tile.column, B_tiles[0], thread_index, THREADS);
  threadgroup_barrier(mem_flags::mem_threadgroup);  // the first tiles are complete

  for (uint k = 0; k < shape.K; k += TILE_K) {
    const uint next_k = k + TILE_K;
    if (next_k < shape.K) {
      load_a(A, shape, tile.row, next_k, A_tiles.stage[1 - current], thread_index, THREADS);
      load_b(weights, next_k, tile.column, B_tiles[1 - current], thread_index, THREADS);
    }
    multiply(A_tiles.stage[current], B_tiles[current], part, sums);
    threadgroup_barrier(mem_flags::mem_threadgroup);  // next is complete, everybody is done with current
    current = 1 - current;
  }

  store(sums, A_tiles.strip[simdgroup], C, shape, tile + part, lane);
}
