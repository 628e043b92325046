// Packed 4-bit codes: uint32 [ceil(K/8), N], nibble j (bits 4j..4j+3) of row r is element 8r+j
// (docs/formats.md, "Packing").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::reference {

inline constexpr std::size_t kNibblesPerWord = 8;

/// codes [K, N], each 0..15, to words [ceil(K/8), N]; nibbles past K are 0.
/// Throws std::invalid_argument on a size that does not follow from K and N, and on a larger code.
std::vector<std::uint32_t> pack_nibbles(std::span<const std::uint8_t> codes, std::size_t K, std::size_t N);

/// words [ceil(K/8), N] to codes [K, N]; nibbles past K are ignored.
std::vector<std::uint8_t> unpack_nibbles(std::span<const std::uint32_t> packed, std::size_t K, std::size_t N);

/// The code of element (k, n); packed holds at least k/8 + 1 rows of N words.
inline unsigned nibble_at(std::span<const std::uint32_t> packed, std::size_t N, std::size_t k,
                          std::size_t n) {
  return packed[k / kNibblesPerWord * N + n] >> (4 * (k % kNibblesPerWord)) & 0xF;
}

}  // namespace assay::reference
