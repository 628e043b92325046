// Trellis weights: 16x16 tiles of 2, 3 or 4 bit indices into a grid of levels, a scale per group and column,
// and sign vectors (docs/formats.md, "Trellis").
//
// packed_indices is uint8 [ceil(K/16), ceil(N/16), 256*bits/8]. Element (k, n) is index (k%16)*16 + n%16 of
// its tile; indices follow one another from the least significant bit on, at 3 bits across bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::reference {

inline constexpr std::size_t kTrellisTile = 16;

/// 64, 96 or 128. Throws std::invalid_argument unless bits is 2, 3 or 4, as all functions here do.
std::size_t trellis_tile_bytes(unsigned bits);

/// indices [K, N], each below 2^bits, to packed_indices; what pads the last tiles is 0.
/// Throws std::invalid_argument naming the field on an index or a size that does not fit.
std::vector<std::uint8_t> pack_trellis(std::span<const std::uint8_t> indices, std::size_t K, std::size_t N,
                                       unsigned bits);

/// packed_indices to indices [K, N].
std::vector<std::uint8_t> unpack_trellis(std::span<const std::uint8_t> packed_indices, std::size_t K,
                                         std::size_t N, unsigned bits);

/// The tensors of one trellis weight matrix W [K, N].
struct TrellisWeights {
  std::size_t K = 0;
  std::size_t N = 0;
  std::size_t group_size = 0;
  unsigned bits = 0;
  std::span<const std::uint8_t> packed_indices;
  std::span<const float> scales;  ///< [ceil(K/group_size), N], finite
  std::span<const float> grid;    ///< [n_levels], 1 <= n_levels <= 2^bits, finite
  std::span<const float> su;      ///< [K], each +1 or -1
  std::span<const float> sv;      ///< [N], each +1 or -1
};

/// Throws std::invalid_argument naming the first field that is not as TrellisWeights says.
void check_trellis(const TrellisWeights& weights);

/// W [K, N] halves: RN16(RN32(RN32(RN32(grid[i] * scale) * su[k]) * sv[n])); an index i past the grid reads
/// level 0. Scales, levels and factors of rows and columns may be any floats here, and count as IEEE has it.
/// Throws as check_trellis where sizes do not match.
/// `flushed`: subnormal operands and results of the products are zero of their sign.
std::vector<std::uint16_t> dequantize_trellis(const TrellisWeights& weights, bool flushed = false);

}  // namespace assay::reference
