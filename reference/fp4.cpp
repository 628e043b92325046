#include "reference/fp4.hpp"

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "reference/half.hpp"

namespace assay::reference {
namespace {

constexpr std::array<double, 8> kMagnitudes = {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0};

void check_fp4_code(unsigned code) {
  if (code > 15) {
    throw std::invalid_argument("FP4 code: " + std::to_string(code) + " is not in 0..15");
  }
}

}  // namespace

double fp4_value(unsigned code) {
  check_fp4_code(code);
  const double magnitude = kMagnitudes[code & 7];
  return (code & 8) != 0 ? -magnitude : magnitude;
}

std::uint16_t fp4_to_half(unsigned code) {
  check_fp4_code(code);
  const unsigned sign = code >> 3;
  const unsigned exponent = (code >> 1) & 3;
  const unsigned fraction = code & 1;
  // With exponent field 0 the fraction bit alone is worth 0.5, which as a half is normal.
  const unsigned magnitude =
      exponent > 0 ? (exponent + 14) << 10 | fraction << 9 : (fraction == 1 ? 0x3800U : 0U);
  return static_cast<std::uint16_t>(sign << 15 | magnitude);
}

unsigned fp4_from_half(std::uint16_t half) {
  if (half_is_nan(half)) throw std::invalid_argument("half to FP4: NaN has no FP4 code");
  const double magnitude = std::fabs(half_to_double(half));
  // Neighbouring codes differ in M, so "ties to even M" decides between them; the midpoint is exact.
  unsigned code = 0;
  while (code < 7) {
    const double midpoint = (kMagnitudes[code] + kMagnitudes[code + 1]) / 2;
    const bool next_is_even = (code & 1) != 0;
    if (magnitude < midpoint || (magnitude == midpoint && !next_is_even)) break;
    ++code;
  }
  return (half & kHalfSign) != 0 ? code | 8 : code;
}

std::uint16_t fp4_weight(unsigned code, std::uint16_t scale) {
  // 2 bits times 11 bits: the product is exact in double, so this rounds once.
  return half_from_double(fp4_value(code) * half_to_double(scale));
}

}  // namespace assay::reference
