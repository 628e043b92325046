// The fused GEMM: W never becomes a tile. Each simdgroup dequantizes the 8x8 piece that it multiplies next
// into 128 bytes of its own, so that simdgroups wait for one another only where A changes.
#pragma once

#include "load.h"
#include "store.h"

#define STAGING_HALVES (THREADS / SIMDGROUP_WIDTH * 8 * 8)

/// sums += A_tile x W[k_block .. k_block+TILE_K-1, corner.column..] for the simdgroup's part of the tile.
/// `corner` is the part's corner in C, `part` its corner in the tile; `staging` [8][8] is this simdgroup's
/// own.
template <typename Weights>
inline void multiply_fused(thread const Weights& weights, threadgroup const half* A_tile,
                           threadgroup half* staging, uint k_block, Corner part, Corner corner, uint lane,
                           thread Sums& sums) {
  for (uint k = 0; k < TILE_K; k += 8) {
    for (uint m = 0; m < PART_M / 8; ++m) {
      simdgroup_half8x8 a;
      simdgroup_load(a, A_tile + (part.row + 8 * m) * TILE_K + k, TILE_K);
      for (uint n = 0; n < PART_N / 8; ++n) {
        if (lane < 8) {  // lane i makes column i: eight adjacent words in one transaction
          half eight[8];
          weights.column_of_eight(k_block + k, corner.column + 8 * n + lane, eight);
          for (uint i = 0; i < 8; ++i) staging[8 * i + lane] = eight[i];
        }
        simdgroup_barrier(mem_flags::mem_threadgroup);  // the piece is complete
        simdgroup_half8x8 b;
        simdgroup_load(b, staging, 8);
        simdgroup_multiply_accumulate(sums.at[m][n], a, b, sums.at[m][n]);
        simdgroup_barrier(mem_flags::mem_threadgroup);  // every lane has it: the next may be written
      }
    }
  }
}

/// C = A x W for any form of weights. Two threadgroup barriers a K tile.
template <typename Weights>
inline void gemm_fused(thread const Weights& weights, device const half* A, device half* C,
                       uint2 threadgroup_position, Place place, threadgroup ATiles<1>& A_tile,
                       threadgroup half* staging) {
  const Shape shape = weights.shape;
  const Corner tile = tile_corner(threadgroup_position);
  const Corner part = part_corner(place.simdgroup);
  threadgroup half* own_staging = staging + place.simdgroup * (8 * 8);

  Sums sums;
  clear(sums);
  for (uint k = 0; k < shape.K; k += TILE_K) {
    load_a(A, shape, tile.row, k, A_tile.stage[0], place.thread_index, THREADS);
    threadgroup_barrier(mem_flags::mem_threadgroup);  // the tile of A is complete
    multiply_fused(weights, A_tile.stage[0], own_staging, k, part, tile + part, place.lane, sums);
    threadgroup_barrier(mem_flags::mem_threadgroup);  // everybody is done with it
  }
  store(sums, A_tile.strip[place.simdgroup], C, shape, tile + part, place.lane);
}
