// The triple-buffered GEMM without roles: every simdgroup loads a quarter of the tiles two ahead, then
// multiplies its quarter of the output. Nobody waits while others load, and the sums of a part are spread over
// four simdgroups, not two; in return each thread's loads come before its products instead of beside them.
#include "include/fp4.h"
#include "include/load.h"
#include "include/store.h"

kernel void marlin_gemm_fp4_triple_shared(device const half* A [[buffer(0)]],       // [M, K]
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

  const Shape shape = {M, N, K, group_size};
  const Fp4Weights weights = {B, scales, shape};
  const Corner tile = tile_corner(threadgroup_position);
  const Corner part = part_corner(simdgroup);

  Sums sums;
  clear(sums);
  for (uint stage = 0; stage < 2 && stage * TILE_K < shape.K; ++stage) {  // K may have one tile only
    load_a(A, shape, tile.row, stage * TILE_K, A_tiles.stage[stage], thread_index, THREADS);
    load_b(weights, stage * TILE_K, tile.column, B_tiles[stage], thread_index, THREADS);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);  // the first tiles are complete

  uint current = 0;
  for (uint k = 0; k < shape.K; k += TILE_K) {
    const uint ahead_k = k + 2 * TILE_K;
    const uint ahead = (current + 2) % 3;  // multiplied in the last round, so behind its barrier
    if (ahead_k < shape.K) {
      load_a(A, shape, tile.row, ahead_k, A_tiles.stage[ahead], thread_index, THREADS);
      load_b(weights, ahead_k, tile.column, B_tiles[ahead], thread_index, THREADS);
    }
    multiply(A_tiles.stage[current], B_tiles[current], part, sums);
    threadgroup_barrier(mem_flags::mem_threadgroup);  // ahead is complete, everybody is done with current
    current = (current + 1) % 3;
  }
  store(sums, A_tiles.strip[simdgroup], C, shape, tile + part, lane);
}
