#include "properties/operations/trellis/trellis_counts.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "reference/shape.hpp"

namespace assay::properties {
namespace {

using reference::kTrellisTile;

/// Whole tiles, counted by pieces of a few indices each: 8 bits, or half of the 24 in which 3-bit indices
/// begin at the same bits again. What each piece stands for is looked at once it is counted.
class Pieces {
 public:
  explicit Pieces(unsigned bits) : bits_(bits), width_(bits == 3 ? 12 : 8) {
    for (auto& of_half : counts_) of_half.resize(std::size_t{1} << width_);
  }

  void count(std::span<const std::uint8_t> tiles) {
    if (width_ == 8) {
      for (const std::uint8_t piece : tiles) ++counts_[0][piece];
      return;
    }
    for (std::size_t i = 0; i + 2 < tiles.size(); i += 3) {
      const std::uint32_t both =
          tiles[i] | std::uint32_t{tiles[i + 1]} << 8 | std::uint32_t{tiles[i + 2]} << 16;
      ++counts_[0][both & 0xFFF];
      ++counts_[1][both >> 12];
    }
  }

  void add_to(TrellisCounts& counts) const {
    for (unsigned half = 0; half < counts_.size(); ++half) {
      for (unsigned piece = 0; piece < counts_[half].size(); ++piece) {
        if (counts_[half][piece] == 0) continue;
        for (unsigned bit = 0; bit < width_; bit += bits_)
          counts[piece >> bit & ((1U << bits_) - 1)][(half * width_ + bit) % 8] += counts_[half][piece];
      }
    }
  }

 private:
  unsigned bits_, width_;
  std::array<std::vector<std::uint64_t>, 2> counts_;
};

}  // namespace

TrellisCounts count_trellis(const reference::TrellisWeights& weights) {
  const std::size_t across = reference::ceil_div(weights.N, kTrellisTile),
                    down = reference::ceil_div(weights.K, kTrellisTile);
  const std::size_t whole_across = weights.N / kTrellisTile, whole_down = weights.K / kTrellisTile;
  const std::size_t tile_bytes = reference::trellis_tile_bytes(weights.bits);
  Pieces pieces(weights.bits);
  TrellisCounts counts = {};
  for (std::size_t i = 0; i < down; ++i) {
    const auto tiles = weights.packed_indices.subspan(i * across * tile_bytes, across * tile_bytes);
    const std::size_t whole = i < whole_down ? whole_across : 0;
    pieces.count(tiles.first(whole * tile_bytes));
    if (whole == across) continue;
    // The others element by element: of a row of tiles, columns from `first` on.
    const std::size_t first = whole * kTrellisTile, columns = weights.N - first;
    const std::size_t rows = std::min(kTrellisTile, weights.K - i * kTrellisTile);
    const auto indices =
        reference::unpack_trellis(tiles.subspan(whole * tile_bytes), rows, columns, weights.bits);
    for (std::size_t j = 0; j < indices.size(); ++j)
      ++counts[indices[j]][(j / columns * kTrellisTile + j % columns % kTrellisTile) * weights.bits % 8];
  }
  pieces.add_to(counts);
  return counts;
}

}  // namespace assay::properties
