// The product of a batch of x with rANS weights as matrices of 8x8. Each simdgroup has tiles of its own, all
// along one row of tiles: it decodes a tile in strips of eight rows, a stream a lane, and multiplies each
// strip before it decodes the next, so that a tile never lies anywhere as a whole.
#pragma once

#include <metal_simdgroup_matrix>

#include "rans_prefetch.h"

#ifndef RANS_TILE_ROWS
#define RANS_TILE_ROWS 64
#endif
#ifndef RANS_TILE_COLS
#define RANS_TILE_COLS 64
#endif
#ifndef RANS_BATCH
#define RANS_BATCH 16  // rows of x that one threadgroup multiplies: their sums are in registers
#endif
#define SIMDGROUPS 4
#define THREADS (SIMDGROUPS * 32)

/// A simdgroup's own: eight rows of x or of weights, and in the end sums on their way out.
union RansStrip {
  float rows[8 * RANS_TILE_COLS];
  float sums[RANS_BATCH * 32];
};

/// What a threadgroup keeps, a share a simdgroup.
struct RansShares {
  RansTable tables[SIMDGROUPS];
  RansStrip strips[SIMDGROUPS];
  uint sound[SIMDGROUPS];
};

/// W [M, N] and x [batch, N].
struct RansShape {
  uint batch, M, N;
};

/// Which of x and of W meet: rows `first` .. of the batch, and a tile of W from `column` on, `columns` wide.
struct RansPiece {
  uint first, column, columns;
};

struct XTile {
  simdgroup_float8x8 at[RANS_BATCH / 8][RANS_TILE_COLS / 8];
};

struct RansSums {
  simdgroup_float8x8 at[RANS_TILE_ROWS / 8][RANS_BATCH / 8];
};

inline void clear(thread RansSums& sums) {
  for (uint m = 0; m < RANS_TILE_ROWS / 8; ++m) {
    for (uint b = 0; b < RANS_BATCH / 8; ++b) sums.at[m][b] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  }
}

/// x[first .., column ..] for all strips of a tile: each element is loaded once. What lies outside is 0, and
/// stays 0 in the strip: columns that an edge tile lacks are never decoded, and 0 times NaN would be NaN.
inline void load_x(device const float* x, RansShape shape, RansPiece piece, threadgroup float* strip,
                   uint lane, thread XTile& tile) {
  for (uint b = 0; b < RANS_BATCH / 8; ++b) {
    for (uint i = lane; i < 8 * RANS_TILE_COLS; i += 32) {
      const uint row = piece.first + 8 * b + i / RANS_TILE_COLS, c = i % RANS_TILE_COLS;
      float element = 0;
      if (row < shape.batch && c < piece.columns) element = x[row * shape.N + piece.column + c];
      strip[i] = element;
    }
    simdgroup_barrier(mem_flags::mem_threadgroup);  // eight rows of x are complete
    for (uint c = 0; c < RANS_TILE_COLS / 8; ++c) {
      simdgroup_load(tile.at[b][c], strip + 8 * c, RANS_TILE_COLS);
    }
    simdgroup_barrier(mem_flags::mem_threadgroup);  // every lane has them: the strip may be written
  }
}

/// sums += x times strip m of a tile, transposed.
inline void multiply_strip(thread const XTile& x, threadgroup const float* strip, uint m,
                           thread RansSums& sums) {
  for (uint c = 0; c < RANS_TILE_COLS / 8; ++c) {
    simdgroup_float8x8 w;
    simdgroup_load(w, strip + 8 * c, RANS_TILE_COLS, ulong2(0, 0), true);
    for (uint b = 0; b < RANS_BATCH / 8; ++b) {
      simdgroup_multiply_accumulate(sums.at[m][b], x.at[b][c], w, sums.at[m][b]);
    }
  }
}

/// sums += x times a tile of `rows` x piece.columns, transposed; false where the tile is damaged. The table
/// and the strip are this simdgroup's own.
template <typename Weights>
inline bool multiply_tile(thread const Weights& weights, uint tile, uint rows, RansPiece piece,
                          thread const XTile& x, threadgroup const RansTable& table,
                          threadgroup float* strip, uint lane, thread RansSums& sums) {
  const bool decodes = lane < weights.streams;
  PrefetchedStream stream;
  if (decodes) stream = prefetch(weights.open(tile, lane), weights.data);
  uint next = lane;  // of the tile's symbols
  for (uint m = 0; m < RANS_TILE_ROWS / 8; ++m) {
    const uint end = min(8 * m + 8, rows) * piece.columns;
    for (; decodes && next < end; next += weights.streams) {
      const float symbol = decode_symbol(stream, weights.data, table);
      strip[(next / piece.columns - 8 * m) * RANS_TILE_COLS + next % piece.columns] =
          symbol * weights.scale + weights.zero_point;
    }
    simdgroup_barrier(mem_flags::mem_threadgroup);  // the strip is complete
    multiply_strip(x, strip, m, sums);
    simdgroup_barrier(mem_flags::mem_threadgroup);  // every lane has it: the next may be written
  }
  return simd_all(!decodes || weights.ends_well(tile, lane, stream));
}

/// y[first .., row ..] = the sums of all simdgroups, NaN where one has met a damaged tile; 32 rows of W, a
/// line of y, at a time.
inline void store_sums(thread const RansSums& sums, threadgroup RansShares& shares, device float* y,
                       RansShape shape, uint first, uint row, uint thread_index, uint simdgroup) {
  for (uint m = 0; m < RANS_TILE_ROWS / 8; m += 4) {
    for (uint b = 0; b < RANS_BATCH / 8; ++b) {
      for (uint r = 0; r < 4; ++r) {
        simdgroup_store(sums.at[m + r][b], shares.strips[simdgroup].sums + 8 * b * 32 + 8 * r, 32);
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);  // the sums of all simdgroups are complete
    for (uint i = thread_index; i < RANS_BATCH * 32; i += THREADS) {
      const uint b = first + i / 32, r = row + 8 * m + i % 32;
      if (b >= shape.batch || r >= shape.M) continue;
      float sum = 0;
      bool sound = true;
      for (uint s = 0; s < SIMDGROUPS; ++s) {
        sum += shares.strips[s].sums[i];
        sound = sound && shares.sound[s] == 1;
      }
      y[b * shape.M + r] = sound ? sum : RANS_NO_SUM;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);  // and read: the next may be written
  }
}

/// y = x W^T for any form of rANS weights: rows position.x * RANS_BATCH .. of the batch by row position.y of
/// tiles, whose tiles the simdgroups take in turn.
template <typename Weights>
inline void gemm_rans(thread const Weights& weights, device const float* x, device float* y, RansShape shape,
                      uint2 position, uint thread_index, uint simdgroup, uint lane,
                      threadgroup RansShares& shares) {
  threadgroup RansTable& table = shares.tables[simdgroup];
  threadgroup float* strip = shares.strips[simdgroup].rows;
  const uint tiles_across = (shape.N + RANS_TILE_COLS - 1) / RANS_TILE_COLS;
  const uint first = position.x * RANS_BATCH, row = position.y * RANS_TILE_ROWS;
  const uint rows = min(uint(RANS_TILE_ROWS), shape.M - row);

  RansSums sums;
  clear(sums);
  bool all_sound = true;
  for (uint across = simdgroup; across < tiles_across; across += SIMDGROUPS) {
    const uint tile = position.y * tiles_across + across;
    const uint column = across * RANS_TILE_COLS;
    const RansPiece piece = {first, column, min(uint(RANS_TILE_COLS), shape.N - column)};

    weights.cumulate_tile(tile, table, lane);
    simdgroup_barrier(mem_flags::mem_threadgroup);  // cumfreq is complete
    bool sound = fill_symbols(table, lane, 32) && weights.symbols(tile) == rows * piece.columns;
    XTile x_tile;
    load_x(x, shape, piece, strip, lane, x_tile);  // its barriers are the table's, too
    if (sound) sound = multiply_tile(weights, tile, rows, piece, x_tile, table, strip, lane, sums);
    if (position.x == 0 && lane == 0) weights.tell(tile, sound);  // others decode it as well
    all_sound = all_sound && sound;
  }
  if (lane == 0) shares.sound[simdgroup] = all_sound ? 1 : 0;
  store_sums(sums, shares, y, shape, first, row, thread_index, simdgroup);
}
