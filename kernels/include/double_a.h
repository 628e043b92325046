// The fused GEMM with two tiles of A: while one is multiplied the next is loaded, and one threadgroup barrier
// a K tile is enough. Each simdgroup dequantizes a piece of W once and multiplies all its rows by it.
#pragma once

#include "load.h"
#include "store.h"

/// A simdgroup's own 256 bytes: the 8x8 piece of W that it multiplies next, and when all is multiplied the
/// 8x8 piece of C that is on its way out.
union Staging {
  half piece_of_w[8 * 8];
  float piece_of_c[8 * 8];
};

/// sums += A_tile x W[k_block .. k_block+TILE_K-1, corner.column..] for the simdgroup's part of the tile.
/// `corner` is the part's corner in C, `part` its corner in the tile; `staging` [8][8] is this simdgroup's
/// own.
template <typename Weights>
inline void multiply_pieces(thread const Weights& weights, threadgroup const half* A_tile,
                            threadgroup half* staging, uint k_block, Corner part, Corner corner, uint lane,
                            thread Sums& sums) {
  for (uint k = 0; k < TILE_K; k += 8) {
    simdgroup_half8x8 a[PART_M / 8];
    for (uint m = 0; m < PART_M / 8; ++m) {
      simdgroup_load(a[m], A_tile + (part.row + 8 * m) * TILE_K + k, TILE_K);
    }
    for (uint n = 0; n < PART_N / 8; ++n) {
      if (lane < 8) {  // lane i makes column i
        half eight[8];
        weights.column_of_eight(k_block + k, corner.column + 8 * n + lane, eight);
        for (uint i = 0; i < 8; ++i) staging[8 * i + lane] = eight[i];
      }
      simdgroup_barrier(mem_flags::mem_threadgroup);  // the piece is complete
      simdgroup_half8x8 b;
      simdgroup_load(b, staging, 8);
      for (uint m = 0; m < PART_M / 8; ++m) {
        simdgroup_multiply_accumulate(sums.at[m][n], a[m], b, sums.at[m][n]);
      }
      simdgroup_barrier(mem_flags::mem_threadgroup);  // every lane has it: the next may be written
    }
  }
}

/// C = A x W for any form of weights. `A_tiles` [2][TILE_M][TILE_K]; a staging for each simdgroup.
template <typename Weights>
inline void gemm_double_a(thread const Weights& weights, device const half* A, device half* C,
                          uint2 threadgroup_position, Place place,
                          threadgroup half (*A_tiles)[TILE_M * TILE_K], threadgroup Staging* stagings) {
  const Shape shape = weights.shape;
  const Corner tile = tile_corner(threadgroup_position);
  const Corner part = part_corner(place.simdgroup);
  threadgroup Staging& staging = stagings[place.simdgroup];

  Sums sums;
  clear(sums);
  uint current = 0;
  load_a(A, shape, tile.row, 0, A_tiles[0], place.thread_index, THREADS);
  threadgroup_barrier(mem_flags::mem_threadgroup);  // the first tile is complete

  for (uint k = 0; k < shape.K; k += TILE_K) {
    const uint next_k = k + TILE_K;
    if (next_k < shape.K) {
      load_a(A, shape, tile.row, next_k, A_tiles[1 - current], place.thread_index, THREADS);
    }
    multiply_pieces(weights, A_tiles[current], staging.piece_of_w, k, part, tile + part, place.lane, sums);
    threadgroup_barrier(mem_flags::mem_threadgroup);  // next is complete, everybody is done with current
    current = 1 - current;
  }
  store<8>(sums, staging.piece_of_c, C, shape, tile + part, place.lane);
}
