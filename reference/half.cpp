#include "reference/half.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace assay::reference {
namespace {

constexpr int kFractionBits = 10;
constexpr int kDoubleFractionBits = 52;
constexpr int kDoubleBias = 1023;
constexpr int kHalfBias = 15;
constexpr int kSmallestNormalExponent = -14;

}  // namespace

std::int64_t half_to_units(std::uint16_t half) {
  const int exponent = (half >> kFractionBits) & 0x1F;
  const std::int64_t fraction = half & 0x3FF;
  // Subnormals count units of 2^-24 directly; exponent field e scales (1024 + fraction) by 2^(e - 1).
  const std::int64_t magnitude = exponent == 0 ? fraction : (fraction | 0x400) << (exponent - 1);
  return (half & kHalfSign) != 0 ? -magnitude : magnitude;
}

double half_to_double(std::uint16_t half) {
  const double sign = (half & kHalfSign) != 0 ? -1.0 : 1.0;
  if (half_is_nan(half)) return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  if (!half_is_finite(half)) return sign * std::numeric_limits<double>::infinity();
  const double magnitude = static_cast<double>(half_to_units(half & 0x7FFF));
  return sign * (magnitude * 0x1p-24);
}

float half_to_float(std::uint16_t half) { return static_cast<float>(half_to_double(half)); }

std::uint16_t half_from_double(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 48) & kHalfSign);
  if (std::isnan(value)) return sign | kHalfQuietNan;
  const int exponent = static_cast<int>((bits >> kDoubleFractionBits) & 0x7FF) - kDoubleBias;
  if (exponent > 15) return sign | kHalfInfinity;
  // Below half of the smallest subnormal (2^-25) everything is zero, subnormal doubles included.
  if (exponent < -25) return sign;
  if (exponent >= kSmallestNormalExponent) {
    // Most results: what is dropped is rounded by a sum whose carry moves into the exponent, and on to
    // infinity.
    constexpr int kDropped = kDoubleFractionBits - kFractionBits;
    const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63),
                        below_tie = (std::uint64_t{1} << (kDropped - 1)) - 1;
    const std::uint64_t rounded = (magnitude + below_tie + (magnitude >> kDropped & 1)) >> kDropped;
    return static_cast<std::uint16_t>(sign |
                                      (rounded - (std::uint64_t{kDoubleBias - kHalfBias} << kFractionBits)));
  }

  // Subnormal, or the least normal half: drop the bits below 2^-24.
  const std::uint64_t significand =
      (bits & ((std::uint64_t{1} << kDoubleFractionBits) - 1)) | (std::uint64_t{1} << kDoubleFractionBits);
  const int dropped = kDoubleFractionBits - kFractionBits + kSmallestNormalExponent - exponent;
  std::uint64_t kept = significand >> dropped;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << dropped) - 1);
  const std::uint64_t tie = std::uint64_t{1} << (dropped - 1);
  if (rest > tie || (rest == tie && (kept & 1) != 0)) ++kept;
  return static_cast<std::uint16_t>(sign | kept);
}

std::uint16_t half_from_float(float value) {
  return half_from_double(static_cast<double>(value));  // widening is exact
}

double half_next_up(double value) {
  const std::uint16_t half = half_from_double(value);
  if (half_is_nan(half) || half == kHalfInfinity) return value;
  if ((half & 0x7FFF) == 0) return 0x1p-24;
  const int step = (half & kHalfSign) != 0 ? -1 : 1;  // bit patterns order by magnitude
  return half_to_double(static_cast<std::uint16_t>(half + step));
}

double half_next_down(double value) { return -half_next_up(-value); }

}  // namespace assay::reference
