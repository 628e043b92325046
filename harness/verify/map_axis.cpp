#include "harness/verify/map_axis.hpp"

#include <algorithm>

namespace assay {
namespace {

constexpr std::size_t kMinCellsBetweenBorders = 3;

std::size_t ceil_div(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

}  // namespace

MapAxis map_axis(std::size_t extent, std::size_t tile) {
  std::size_t cell = std::max<std::size_t>(ceil_div(extent, kMaxMapCells), 1);
  if (tile > 0 && cell <= tile) {
    while (tile % cell != 0) ++cell;
  } else if (tile > 0) {
    cell = ceil_div(cell, tile) * tile;
  }
  const std::size_t cells = ceil_div(extent, cell);
  const std::size_t band = tile / cell;
  return {extent, cell, cells, band >= kMinCellsBetweenBorders ? band : std::max<std::size_t>(cells, 1)};
}

}  // namespace assay
