// Four-bit weights as the kernels read them (docs/formats.md, "Packing" and "Groups").
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace assay::host {

enum class WeightFormat {
  fp4,  ///< E2M1 codes and a scale a group
  u4,   ///< 0..15, a scale and a zero point a group
  s4,   ///< value + 8, a scale and a zero point a group
};

/// "fp4", "u4", "s4".
std::string_view name_of(WeightFormat format);

/// W [K, N] in host memory. Group g of a column is its elements g * group_size .. of K; the last may be
/// short.
struct PackedWeights {
  WeightFormat format{};
  std::size_t K = 0;
  std::size_t N = 0;
  std::size_t group_size = 0;          ///< a positive multiple of 8
  std::vector<std::uint32_t> words;    ///< [ceil(K/8), N]; nibble j of row r is element 8r+j, past K it is 0
  std::vector<std::uint16_t> scales;   ///< halves [ceil(K/group_size), N]
  std::vector<std::uint16_t> zeros{};  ///< halves, as scales; empty for fp4
};

/// Throws std::invalid_argument naming the field where sizes do not follow from K, N and group_size.
void check(const PackedWeights& weights);

}  // namespace assay::host
