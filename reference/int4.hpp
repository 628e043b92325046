// INT4 weights with a scale and a possibly fractional zero point (docs/formats.md, "INT4").
#pragma once

#include <cstdint>

namespace assay::reference {

/// The roundings a kernel declares. Both end in one rounding to half.
enum class Int4Chain {
  half_chain,   ///< every operation rounds to half
  float_chain,  ///< every operation rounds to float32, the result to half
};

/// Weight of an unsigned code n = 0..15.
/// Half chain: RN16(RN16(n - zero) * scale). Float chain: RN16(RN32(RN32(n - zero) * scale)).
/// Throws std::invalid_argument for a larger code.
std::uint16_t u4_weight(unsigned code, std::uint16_t scale, std::uint16_t zero, Int4Chain chain);

/// Weight of a signed value stored as value + 8, so code = 0..15.
/// Half chain: RN16(RN16(code - RN16(8 + zero)) * scale); the offset rounds first, as in document
/// 004 (docs/documents.md, fault 15). Float chain: that of u4 with n = code - 8, which keeps fractional zero
/// points.
std::uint16_t s4_weight(unsigned code, std::uint16_t scale, std::uint16_t zero, Int4Chain chain);

}  // namespace assay::reference
