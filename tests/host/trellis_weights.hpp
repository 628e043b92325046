// Trellis weights for tests of layers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "reference/trellis.hpp"

namespace assay::host {

/// Random weights that own their tensors; the grid lacks the last level.
struct TrellisTensors {
  std::size_t K, N, group_size;
  unsigned bits;
  std::vector<std::uint8_t> packed_indices;
  std::vector<float> scales, grid, su, sv;

  TrellisTensors(std::size_t K, std::size_t N, std::size_t group_size, unsigned bits, unsigned seed = 0)
      : K(K), N(N), group_size(group_size), bits(bits) {
    std::mt19937 random(static_cast<std::uint32_t>(K * N + bits + seed));
    std::vector<std::uint8_t> indices(K * N);
    for (auto& index : indices) index = static_cast<std::uint8_t>(random() >> 8 & ((1U << bits) - 1));
    packed_indices = reference::pack_trellis(indices, K, N, bits);
    const auto signs = [&](std::size_t count) {
      std::vector<float> drawn(count);
      for (float& sign : drawn) sign = random() >> 16 & 1 ? 1.0F : -1.0F;
      return drawn;
    };
    su = signs(K);
    sv = signs(N);
    std::normal_distribution<float> normal(0.0F, 0.3F);
    grid.resize((std::size_t{1} << bits) - 1);
    for (float& level : grid) level = normal(random);
    scales.resize((K + group_size - 1) / group_size * N);
    for (float& scale : scales) scale = normal(random);
  }

  reference::TrellisWeights view() const {
    return {K, N, group_size, bits, packed_indices, scales, grid, su, sv};
  }
};

}  // namespace assay::host
