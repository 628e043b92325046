// Rounding to half by exact integer arithmetic, as the measure of what the library does in floating point.
#pragma once

#include <cmath>
#include <cstdint>

namespace oracle {

__extension__ typedef __int128 Wide;

/// The value of a finite half in units of 2^-24.
inline std::int64_t units(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const std::int64_t fraction = half & 1023;
  const std::int64_t magnitude = exponent == 0 ? fraction : (fraction + 1024) << (exponent - 1);
  return half & 0x8000 ? -magnitude : magnitude;
}
inline bool is_nan(std::uint16_t half) { return (half & 0x7FFF) > 0x7C00; }
inline bool is_finite(std::uint16_t half) { return (half & 0x7C00) != 0x7C00; }
inline double value(std::uint16_t half) {
  if (is_nan(half)) return std::nan("");
  if (!is_finite(half)) return half & 0x8000 ? -HUGE_VAL : HUGE_VAL;
  return half == 0x8000 ? -0.0 : std::ldexp(static_cast<double>(units(half)), -24);
}

/// The half nearest to `magnitude` * 2^-`scale` (plus a little, if `sticky`), ties to even; scale >= 25.
inline std::uint16_t round_magnitude(Wide magnitude, int scale, bool sticky = false) {
  int bits = 0;
  while (bits < 126 && magnitude >> bits) ++bits;
  int drop = bits - 11 > scale - 24 ? bits - 11 : scale - 24;  // subnormals have steps of 2^-24
  Wide kept = magnitude >> drop;
  const Wide rest = magnitude - (kept << drop), tie = Wide{1} << (drop - 1);
  if (rest > tie || (rest == tie && (sticky || (kept & 1)))) ++kept;
  if (kept == 2048) kept = 1024, ++drop;
  const int exponent = drop - (scale - 24) + (kept >= 1024 ? 1 : 0);
  if (exponent >= 31) return 0x7C00;
  return static_cast<std::uint16_t>(exponent == 0 ? kept : (exponent << 10) + (kept - 1024));
}

/// a * b + c of halves, rounded once.
inline std::uint16_t fma(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  if (!is_finite(a) || !is_finite(b) || !is_finite(c)) {
    const double exact = value(a) * value(b) + value(c);
    return std::isnan(exact) ? 0x7E00 : exact > 0 ? 0x7C00 : 0xFC00;
  }
  const Wide sum = static_cast<Wide>(units(a)) * units(b) + (static_cast<Wide>(units(c)) << 24);
  if (sum == 0) {
    const bool negative_product = (a ^ b) & 0x8000, zero_product = units(a) == 0 || units(b) == 0;
    return zero_product && negative_product && c == 0x8000 ? 0x8000 : 0;
  }
  return static_cast<std::uint16_t>(round_magnitude(sum < 0 ? -sum : sum, 48) | (sum < 0 ? 0x8000 : 0));
}

/// A double, rounded once.
inline std::uint16_t round(double x) {
  if (std::isnan(x)) return 0x7E00;
  const auto sign = static_cast<std::uint16_t>(std::signbit(x) ? 0x8000 : 0);
  const double magnitude = std::fabs(x);
  if (magnitude >= 65520) return sign | 0x7C00;
  const double scaled = std::ldexp(magnitude, 60);
  const auto whole = static_cast<Wide>(scaled);  // below 2^76
  return static_cast<std::uint16_t>(sign | round_magnitude(whole, 60, scaled > static_cast<double>(whole)));
}

}  // namespace oracle
