// IEEE binary16: bit patterns to and from wider types (docs/formats.md, "Half").
#pragma once

#include <cstdint>

namespace assay::reference {

inline constexpr std::uint16_t kHalfQuietNan = 0x7E00;
inline constexpr std::uint16_t kHalfInfinity = 0x7C00;
inline constexpr std::uint16_t kHalfSign = 0x8000;
inline constexpr double kHalfMax = 65504.0;

/// Every half is an integer multiple of 2^-24 and its magnitude is below 2^40 of them.
inline constexpr int kHalfUnitExponent = -24;

inline bool half_is_nan(std::uint16_t half) { return (half & 0x7FFF) > kHalfInfinity; }
inline bool half_is_subnormal(std::uint16_t half) {
  return (half & kHalfInfinity) == 0 && (half & 0x3FF) != 0;
}
inline bool half_is_finite(std::uint16_t half) { return (half & kHalfInfinity) != kHalfInfinity; }

/// Exact. A NaN keeps its sign and loses its payload.
double half_to_double(std::uint16_t half);
float half_to_float(std::uint16_t half);

/// RN16: one rounding to nearest even; overflow to infinity from 65520 on; a NaN gives 0x7E00 with its sign.
std::uint16_t half_from_double(double value);
std::uint16_t half_from_float(float value);

/// RN16 as a value instead of a bit pattern.
inline double round_to_half(double value) { return half_to_double(half_from_double(value)); }

/// The neighbouring half above or below `value`, which must be a half value itself. Infinities stay when
/// there is nothing beyond them, a NaN stays NaN; the neighbours of either zero are the smallest subnormals.
double half_next_up(double value);
double half_next_down(double value);

/// The half as an integer count of 2^-24. The half must be finite.
std::int64_t half_to_units(std::uint16_t half);

}  // namespace assay::reference
