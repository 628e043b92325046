// Packed 4-bit weights to half weights W [K, N], what a dequantize kernel must give bit for bit
// (docs/formats.md, "FP4" and "INT4").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/int4.hpp"

namespace assay::reference {

/// packed [ceil(K/8), N], scales [ceil(K/group_size), N] halves. Returns W [K, N] halves.
/// Throws std::invalid_argument naming the field when a size is zero or does not follow from the others.
std::vector<std::uint16_t> dequantize_fp4(std::size_t K, std::size_t N, std::size_t group_size,
                                          std::span<const std::uint32_t> packed,
                                          std::span<const std::uint16_t> scales);

/// As dequantize_fp4, with zeros [ceil(K/group_size), N] halves and the declared chain of roundings.
std::vector<std::uint16_t> dequantize_u4(std::size_t K, std::size_t N, std::size_t group_size,
                                         std::span<const std::uint32_t> packed,
                                         std::span<const std::uint16_t> scales,
                                         std::span<const std::uint16_t> zeros, Int4Chain chain);
std::vector<std::uint16_t> dequantize_s4(std::size_t K, std::size_t N, std::size_t group_size,
                                         std::span<const std::uint32_t> packed,
                                         std::span<const std::uint16_t> scales,
                                         std::span<const std::uint16_t> zeros, Int4Chain chain);

}  // namespace assay::reference
