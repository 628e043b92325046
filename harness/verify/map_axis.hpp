// One dimension of a map of an output: which elements share a cell, and where tiles end.
#pragma once

#include <cstddef>

namespace assay {

/// At most so many cells each way.
inline constexpr std::size_t kMaxMapCells = 64;

struct MapAxis {
  std::size_t extent = 1;  ///< elements
  std::size_t cell = 1;    ///< elements a cell
  std::size_t cells = 1;
  std::size_t band = 1;  ///< cells between the borders of tiles; all where they would stand too close
  bool has_border(std::size_t i) const { return i > 0 && i < cells && i % band == 0; }
};

/// Cells divide the tile, or are whole tiles, so that borders fall between cells. `tile`: 0 where there is
/// none.
MapAxis map_axis(std::size_t extent, std::size_t tile);

}  // namespace assay
