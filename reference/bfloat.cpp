#include "reference/bfloat.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace assay::reference {

double bfloat_to_double(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(std::uint32_t{bits} << 16));
}

std::uint16_t bfloat_from_double(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7FC0);
  if (std::isinf(value) || value == 0) return static_cast<std::uint16_t>(sign | (value == 0 ? 0 : 0x7F80));
  int exponent = 0;
  std::frexp(value, &exponent);
  // Subnormals are multiples of 2^-133, others have eight bits.
  const int unit = std::max(exponent - 8, -133);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(std::fabs(value), -unit)), unit);
  // Whatever is past the largest float has become a power of two, which float has as infinity.
  return static_cast<std::uint16_t>(sign | std::bit_cast<std::uint32_t>(static_cast<float>(rounded)) >> 16);
}

}  // namespace assay::reference
