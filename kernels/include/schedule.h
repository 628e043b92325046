// The striped schedule: output tiles times slices of K, in one line, cut into one run per threadgroup.
#pragma once

#include "tile.h"

/// One work unit: a slice of the K tiles of one output tile. Units follow tiles, tiles run down columns.
struct Unit {
  uint tile;            // index of its counter
  Corner corner;        // of the tile in C
  uint slice;           // 0 .. parallel-1
  uint k_begin, k_end;  // elements of K; none if the K tiles do not reach this slice
};

/// Tiles of `size` that cover `extent`.
inline uint tiles_over(uint extent, uint size) { return (extent + size - 1) / size; }

inline uint tile_count(Shape shape) { return tiles_over(shape.M, TILE_M) * tiles_over(shape.N, TILE_N); }

inline Unit unit_at(uint index, Shape shape, uint parallel) {
  const uint m_tiles = tiles_over(shape.M, TILE_M);
  const uint slice_k = tiles_over(tiles_over(shape.K, TILE_K), parallel) * TILE_K;  // whole K tiles
  Unit unit;
  unit.tile = index / parallel;
  unit.slice = index % parallel;
  unit.corner = {unit.tile % m_tiles * TILE_M, unit.tile / m_tiles * TILE_N};
  unit.k_begin = min(unit.slice * slice_k, shape.K);
  unit.k_end = min(unit.k_begin + slice_k, shape.K);
  return unit;
}
