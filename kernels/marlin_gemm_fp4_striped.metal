// The striped GEMM: any number of threadgroups share out tiles and slices of K in equal runs. The slices of
// a tile meet in a reduction buffer and a counter, which must be 0 before the first launch and are 0 after
// each.
#include "include/fp4.h"
#include "include/load.h"
#include "include/reduction.h"
#include "include/schedule.h"
#include "include/store.h"

kernel void marlin_gemm_fp4_striped(device const half* A [[buffer(0)]],          // [M, K]
                                    device const uint* B [[buffer(1)]],          // [ceil(K / 8), N]
                                    device const half* scales [[buffer(2)]],     // [groups, N]
                                    device half* C [[buffer(3)]],                // [M, N]
                                    device coherent(device) float* partials [[buffer(4)]],  // [parallel, M, N]
                                    device atomic_uint* counters [[buffer(5)]],  // one a tile
                                    constant uint& M [[buffer(6)]],
                                    constant uint& N [[buffer(7)]],
                                    constant uint& K [[buffer(8)]],
                                    constant uint& group_size [[buffer(9)]],
                                    constant uint& parallel [[buffer(10)]],      // slices of K
                                    uint threadgroup_position [[threadgroup_position_in_grid]],
                                    uint threadgroups [[threadgroups_per_grid]],
                                    uint thread_index [[thread_index_in_threadgroup]],
                                    uint simdgroup [[simdgroup_index_in_threadgroup]],
                                    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup ATiles<1> A_tile;
  threadgroup half B_tile[TILE_K * TILE_N];
  threadgroup uint arrived;

  const Shape shape = {M, N, K, group_size};
  const Fp4Weights weights = {B, scales, shape};
  const Corner part = part_corner(simdgroup);
  const uint units = tile_count(shape) * parallel;
  const uint run = tiles_over(units, threadgroups);
  const uint begin = min(threadgroup_position * run, units);
  const uint end = min(begin + run, units);

  Sums sums;
  for (uint index = begin; index < end; ++index) {
    const Unit unit = unit_at(index, shape, parallel);

    clear(sums);
    for (uint k = unit.k_begin; k < unit.k_end; k += TILE_K) {
      load_a(A, shape, unit.corner.row, k, A_tile.stage[0], thread_index, THREADS);
      load_b(weights, k, unit.corner.column, B_tile, thread_index, THREADS);
      threadgroup_barrier(mem_flags::mem_threadgroup);  // the tiles are complete
      multiply(A_tile.stage[0], B_tile, part, sums);
      threadgroup_barrier(mem_flags::mem_threadgroup);  // everybody is done with them
    }

    if (parallel == 1) {
      store(sums, A_tile.strip[simdgroup], C, shape, unit.corner + part, lane);
    } else {
      if (unit.k_begin < unit.k_end) {
        device coherent(device) float* own_partials = partials + unit.slice * shape.M * shape.N;
        store(sums, A_tile.strip[simdgroup], own_partials, shape, unit.corner + part, lane);
      }
      if (count_in(&counters[unit.tile], arrived, thread_index) == parallel) {
        reduce(partials, C, shape, unit.corner, parallel, thread_index);
        if (thread_index == 0) atomic_store_explicit(&counters[unit.tile], 0, memory_order_relaxed);
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);  // everybody is done with the strips and with arrived
  }
}
