// Half weights to the four-bit weights that the kernels read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/host/packed_weights.hpp"

namespace assay::host {

/// weights [K, N], halves, row-major. Each group of a column is quantized by itself; GroupQuantizer says how,
/// and within what bound. An infinity counts as the largest half of its sign. Weights that dequantization
/// gave come out as they were, up to the sign of zero.
///
/// Throws std::invalid_argument on a NaN, naming the element; on a size of zero, a group size that is no
/// positive multiple of 8, and a number of weights that is not K x N, naming the field.
PackedWeights pack_fp4_weights(std::size_t K, std::size_t N, std::size_t group_size,
                               std::span<const std::uint16_t> weights);

/// As pack_fp4_weights, with zero points that are integers 0..15. Both chains of roundings give the same
/// weights.
PackedWeights pack_u4_weights(std::size_t K, std::size_t N, std::size_t group_size,
                              std::span<const std::uint16_t> weights);

/// As pack_u4_weights with the same codes, which stand for value + 8: its zero points are 8 lower, -8..7.
PackedWeights pack_s4_weights(std::size_t K, std::size_t N, std::size_t group_size,
                              std::span<const std::uint16_t> weights);

}  // namespace assay::host
