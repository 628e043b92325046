// Trellis weights about which nothing is to be said.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/trellis.hpp"

namespace assay::tests {

/// 40 x 70 at 3 bits: 3 x 5 tiles, 5 groups of 8. Levels reach 1 and scales 0.25.
struct OrdinaryTrellis {
  std::vector<std::uint8_t> packed_indices = std::vector<std::uint8_t>(3 * 5 * 96);
  std::vector<float> scales = std::vector<float>(5 * 70, 0.25F);
  std::vector<float> grid = {-0.75F, -0.5F, -0.25F, 0.0F, 0.25F, 0.5F, 0.75F, 1.0F};
  std::vector<float> su = std::vector<float>(40, 1.0F), sv = std::vector<float>(70, -1.0F);

  reference::TrellisWeights view() const { return {40, 70, 8, 3, packed_indices, scales, grid, su, sv}; }
};

}  // namespace assay::tests
