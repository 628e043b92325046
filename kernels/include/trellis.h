// Trellis weights: 16x16 tiles of indices into a grid of levels, a scale per group and column, and a sign per
// row and per column. Indices of 2, 3 or 4 bits follow one another along the rows of a tile, the least
// significant bit first; at 3 bits some lie in two bytes.
#pragma once

#include "tile.h"

#define TRELLIS_TILE 16

/// Weights as the device holds them.
struct TrellisWeights {
  device const uchar* packed_indices;  // [ceil(K / 16), ceil(N / 16), 32 * bits]
  device const float* scales;          // [ceil(K / group_size), N]
  device const float* grid;            // [n_levels], n_levels <= 2^bits
  device const float* su;              // [K], +1 or -1
  device const float* sv;              // [N], +1 or -1
  Shape shape;
  uint bits, n_levels;

  /// W[k .. k+7][column] for k a multiple of 8: eight rows lie in one tile and in one group. Elements outside
  /// W are 0.
  void column_of_eight(uint k, uint column, thread half (&weights)[8]) const {
    uint inside = 0;
    float scale = 0;
    float sign = 0;
    if (k < shape.K && column < shape.N) {
      scale = scales[k / shape.group_size * shape.N + column];
      sign = sv[column];
      inside = shape.K - k;
    }
    device const uchar* tile = tile_at(k, column);
    for (uint i = 0; i < 8; ++i) {
      weights[i] = 0;
      if (i < inside) {
        const uint index = index_at(tile, (k + i) % TRELLIS_TILE * TRELLIS_TILE + column % TRELLIS_TILE);
        weights[i] = half(level(index) * scale * su[k + i] * sign);  // the float chain: one rounding to half
      }
    }
  }

  /// The bytes of the tile that holds W[k][column].
  device const uchar* tile_at(uint k, uint column) const {
    const uint tiles_per_row = (shape.N + TRELLIS_TILE - 1) / TRELLIS_TILE;
    const uint tile = k / TRELLIS_TILE * tiles_per_row + column / TRELLIS_TILE;
    return packed_indices + ulong(tile) * (TRELLIS_TILE * TRELLIS_TILE / 8 * bits);
  }

  /// Index number `position` of a tile. The byte after is read only where the index reaches into it: there is
  /// none after the last.
  uint index_at(device const uchar* tile, uint position) const {
    const uint bit = position * bits;
    uint window = tile[bit / 8];
    if (bit % 8 + bits > 8) window |= uint(tile[bit / 8 + 1]) << 8;
    return (window >> (bit % 8)) & ((1u << bits) - 1);
  }

  /// An index past the grid reads level 0.
  float level(uint index) const { return grid[index < n_levels ? index : 0]; }
};
