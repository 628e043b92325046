// The arithmetic of one simdgroup: 8x8 fragments in half, sums in float.
#pragma once

#include "tile.h"

/// Sums of a simdgroup's part of the tile, 8x8 at a time.
struct Sums {
  simdgroup_float8x8 at[PART_M / 8][PART_N / 8];
};

inline void clear(thread Sums& sums) {
  for (uint m = 0; m < PART_M / 8; ++m) {
    for (uint n = 0; n < PART_N / 8; ++n) sums.at[m][n] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  }
}

/// sums += A_tile[part.row.., :] x B_tile[:, part.column..], A_tile [TILE_M][TILE_K], B_tile
/// [TILE_K][TILE_N].
inline void multiply(threadgroup const half* A_tile, threadgroup const half* B_tile, Corner part,
                     thread Sums& sums) {
  for (uint k = 0; k < TILE_K; k += 8) {
    simdgroup_half8x8 b[PART_N / 8];
    for (uint n = 0; n < PART_N / 8; ++n) {
      simdgroup_load(b[n], B_tile + k * TILE_N + part.column + 8 * n, TILE_N);
    }
    for (uint m = 0; m < PART_M / 8; ++m) {
      simdgroup_half8x8 a;
      simdgroup_load(a, A_tile + (part.row + 8 * m) * TILE_K + k, TILE_K);
      for (uint n = 0; n < PART_N / 8; ++n) {
        simdgroup_multiply_accumulate(sums.at[m][n], a, b[n], sums.at[m][n]);
      }
    }
  }
}
