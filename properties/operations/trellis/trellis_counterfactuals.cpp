#include "properties/operations/trellis/trellis_counterfactuals.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "properties/operations/products/group_counterfactuals.hpp"
#include "reference/shape.hpp"

namespace assay::properties {
namespace {

using reference::kTrellisTile;

/// Where a kernel may take an index to be: the bits from `bit` on of a tile.
struct Place {
  std::size_t tile, bit;
};

class Indices {
 public:
  explicit Indices(const reference::TrellisWeights& weights)
      : weights_(weights),
        tile_bytes_(reference::trellis_tile_bytes(weights.bits)),
        tiles_across_(reference::ceil_div(weights.N, kTrellisTile)),
        tiles_down_(reference::ceil_div(weights.K, kTrellisTile)) {}

  unsigned bits() const { return weights_.bits; }
  std::size_t tiles_down() const { return tiles_down_; }
  Place place(std::size_t k, std::size_t n) const {
    return {k / kTrellisTile * tiles_across_ + n / kTrellisTile,
            position(k % kTrellisTile, n % kTrellisTile)};
  }
  std::size_t position(std::size_t row, std::size_t column) const {
    return (row * kTrellisTile + column) * bits();
  }

  /// The two bytes from which the index at a place is taken; 0 behind the tile.
  unsigned window(Place at) const {
    const auto tile = weights_.packed_indices.subspan(at.tile * tile_bytes_, tile_bytes_);
    const std::size_t byte = at.bit / 8;
    return tile[byte] | (byte + 1 < tile.size() ? static_cast<unsigned>(tile[byte + 1]) << 8 : 0U);
  }
  unsigned at(Place place) const { return masked(window(place) >> place.bit % 8); }
  unsigned masked(unsigned value) const { return value & ((1U << bits()) - 1); }
  bool crosses(Place place) const { return place.bit % 8 + bits() > 8; }

 private:
  const reference::TrellisWeights& weights_;
  std::size_t tile_bytes_, tiles_across_, tiles_down_;
};

}  // namespace

std::vector<Counterfactual> trellis_counterfactuals(const Problem& problem, const Tile& tile,
                                                    const TrellisMatrix& matrix) {
  const reference::TrellisWeights weights = trellis_weights(problem, matrix);
  const Indices indices(weights);
  const std::size_t K = weights.K, N = weights.N, levels = weights.grid.size();
  std::vector<Counterfactual> found;

  using Index = std::function<unsigned(std::size_t k, std::size_t n)>;
  const auto add = [&](std::string words, const Index& index) {
    std::vector<std::uint8_t> read(K * N);
    for (std::size_t i = 0; i < read.size(); ++i) read[i] = static_cast<std::uint8_t>(index(i / N, i % N));
    const auto packed = reference::pack_trellis(read, K, N, weights.bits);
    Counterfactual other{matrix.prefix + std::move(words), problem};
    const auto into = trellis_tensors(other.problem, matrix).packed_indices;
    std::copy(packed.begin(), packed.end(), into.begin());
    if (!std::equal(into.begin(), into.end(), weights.packed_indices.begin()))
      found.push_back(std::move(other));
  };
  add("indices stood in each byte from its highest bit down", [&](std::size_t k, std::size_t n) {
    const Place at = indices.place(k, n);
    if (indices.crosses(at)) return indices.at(at);
    return indices.masked(indices.window(at) >> (8 - indices.bits() - at.bit % 8));
  });
  add("indices had no bits in the next byte", [&](std::size_t k, std::size_t n) {
    const Place at = indices.place(k, n);
    return indices.masked((indices.window(at) & 0xFF) >> at.bit % 8);
  });
  add("the elements of each 16 x 16 tile stood along its columns", [&](std::size_t k, std::size_t n) {
    return indices.at({indices.place(k, n).tile, indices.position(n % kTrellisTile, k % kTrellisTile)});
  });
  add("the 16 x 16 tiles stood along columns", [&](std::size_t k, std::size_t n) {
    return indices.at({n / kTrellisTile * indices.tiles_down() + k / kTrellisTile, indices.place(k, n).bit});
  });
  add("indices past the grid were those of the last level", [&](std::size_t k, std::size_t n) {
    return static_cast<unsigned>(std::min<std::size_t>(indices.at(indices.place(k, n)), levels - 1));
  });

  const auto groups = group_counterfactuals(
      problem, {{matrix.prefix + "scales"},
                K,
                N,
                weights.group_size,
                {{static_cast<std::size_t>(tile.k), "K tile"}, {kTrellisTile, "16 x 16 tile"}}});
  found.insert(found.end(), groups.begin(), groups.end());
  return found;
}

}  // namespace assay::properties
