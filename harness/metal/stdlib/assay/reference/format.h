// The floating-point formats that kernels compute and store in.
#pragma once

// How kernels compute, settled when a reference is compiled: ASSAY_HALF_SUMS, ASSAY_PRECISE, ASSAY_FLUSHED.
#ifndef ASSAY_HALF_SUMS
#define ASSAY_HALF_SUMS 0
#endif
#ifndef ASSAY_PRECISE
#define ASSAY_PRECISE 0
#endif
#ifndef ASSAY_FLUSHED
#define ASSAY_FLUSHED 0
#endif

namespace assay_reference {

using Index = long;

/// A floating-point format: bits of the significand, exponents of the least normal and of the largest number.
struct Format {
  int bits, least, most;
  constexpr double roundoff() const { return 1.0 / static_cast<double>(1L << bits); }
  double largest() const { return __builtin_ldexp(2.0 - 2 * roundoff(), most); }
  /// What rounding to the nearest adds to numbers below the least normal one; all of them, where they are
  /// flushed.
  double underflow() const { return __builtin_ldexp(1.0, ASSAY_FLUSHED ? least : least - bits); }
  /// The distance of neighbours at that magnitude.
  double ulp(double value) const {
    const double magnitude = __builtin_fabs(value);
    const int exponent = magnitude > 0 ? __builtin_ilogb(magnitude) : least;
    return __builtin_ldexp(1.0, (exponent < least ? least : exponent) - bits + 1);
  }
  /// The nearest number of the format; infinite, where that is beyond its largest.
  double nearest(double value) const {
    const double unit = ulp(value), rounded = __builtin_rint(value / unit) * unit;  // powers of two: exact
    if (__builtin_fabs(rounded) <= largest()) return rounded;
    return rounded < 0 ? -__builtin_huge_val() : __builtin_huge_val();
  }
};

struct half {
  static constexpr Format format{11, -14, 15};
};
struct bfloat {
  static constexpr Format format{8, -126, 127};
};
struct single {
  static constexpr Format format{24, -126, 127};
};
#if ASSAY_HALF_SUMS
using Accumulator = half;
#else
using Accumulator = single;
#endif

inline constexpr double kUnknown = __builtin_huge_val();
/// Of doubles, which values and radii are computed in: for each operation, with room for its own radius.
inline constexpr double kOfDoubles = 0x1p-51;

/// The exponent of the lowest bit that is set: the value is a whole multiple of 2^that.
inline int unit_of(double value) {
  if (value == 0) return 2000;
  unsigned long bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  const unsigned long fraction = (bits & 0xFFFFFFFFFFFFFul) | ((bits >> 52 & 0x7FF) != 0 ? 1ul << 52 : 0);
  const long exponent = static_cast<long>(bits >> 52 & 0x7FF);
  return static_cast<int>((exponent == 0 ? 1 : exponent) - 1075 + __builtin_ctzl(fraction));
}

namespace detail {
/// Is it a number of the accumulator, that no operation flushes?
inline bool fits(double value) {
  constexpr Format kFormat = Accumulator::format;
  if (value == 0) return true;
  if (__builtin_fabs(value) > kFormat.largest()) return false;
  const int exponent = __builtin_ilogb(value), unit = unit_of(value);
  if (ASSAY_FLUSHED && exponent < kFormat.least) return false;
  return exponent - unit < kFormat.bits && unit > kFormat.least - kFormat.bits;
}

/// What underflow may add to a result of which the magnitude is at least this.
inline double tiny(double least) {
  constexpr Format kFormat = Accumulator::format;
  return least > __builtin_ldexp(1.0, kFormat.least + 1) ? 0 : kFormat.underflow();
}
}  // namespace detail

}  // namespace assay_reference
