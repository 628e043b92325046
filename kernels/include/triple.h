// The triple-buffered GEMM: simdgroups 0-1 load, simdgroups 2-3 multiply, each pair in its own buffer, and
// one barrier a K tile moves both on.
#pragma once

#include "load.h"
#include "store.h"

#define LOADERS 2  // simdgroups that load; the others each own one part of the tile
#define LOADER_THREADS (LOADERS * SIMDGROUP_WIDTH)

/// C = A x W for any form of weights. Of the three buffers, one is multiplied, one is complete and waits, one
/// is being filled with the tile two ahead.
template <typename Weights>
inline void gemm_triple(thread const Weights& weights, device const half* A, device half* C,
                        uint2 threadgroup_position, Place place, threadgroup ATiles<3>& A_tiles,
                        threadgroup half (*B_tiles)[TILE_K * TILE_N]) {
  const Shape shape = weights.shape;
  const Corner tile = tile_corner(threadgroup_position);
  const bool loads = place.simdgroup < LOADERS;
  const uint part_index = loads ? 0 : place.simdgroup - LOADERS;
  const Corner part = part_corner(part_index);

  Sums sums;
  clear(sums);
  // The first two tiles, or the only one, by everybody: there is nothing to multiply yet.
  for (uint stage = 0; stage < 2 && stage * TILE_K < shape.K; ++stage) {
    load_a(A, shape, tile.row, stage * TILE_K, A_tiles.stage[stage], place.thread_index, THREADS);
    load_b(weights, stage * TILE_K, tile.column, B_tiles[stage], place.thread_index, THREADS);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);  // the first tiles are complete

  uint current = 0;
  for (uint k = 0; k < shape.K; k += TILE_K) {
    if (loads) {
      const uint ahead_k = k + 2 * TILE_K;
      const uint ahead = (current + 2) % 3;
      if (ahead_k < shape.K) {
        load_a(A, shape, tile.row, ahead_k, A_tiles.stage[ahead], place.thread_index, LOADER_THREADS);
        load_b(weights, ahead_k, tile.column, B_tiles[ahead], place.thread_index, LOADER_THREADS);
      }
    } else {
      multiply(A_tiles.stage[current], B_tiles[current], part, sums);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);  // ahead is complete, current is free
    current = (current + 1) % 3;
  }
  if (!loads) store(sums, A_tiles.strip[part_index], C, shape, tile + part, place.lane);
}
