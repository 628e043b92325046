// <metal_limits> and the constants of <metal_math>.
#pragma once
#include "metal/type_traits.h"

#define HUGE_VALF __builtin_huge_valf()
#define HUGE_VALH ((half)__builtin_huge_valf())
#define INFINITY __builtin_huge_valf()
#define NAN __builtin_nanf("")
#define MAXFLOAT 0x1.FFFFFEp127f
#define MAXHALF ((half)65504.0f)

#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define FLT_MAX_10_EXP 38
#define FLT_MAX_EXP 128
#define FLT_MIN_10_EXP (-37)
#define FLT_MIN_EXP (-125)
#define FLT_RADIX 2
#define FLT_MAX 0x1.FFFFFEp127f
#define FLT_MIN 0x1p-126f
#define FLT_EPSILON 0x1p-23f
#define FLT_DECIMAL_DIG 9
#define HALF_DIG 3
#define HALF_MANT_DIG 11
#define HALF_MAX_10_EXP 4
#define HALF_MAX_EXP 16
#define HALF_MIN_10_EXP (-4)
#define HALF_MIN_EXP (-13)
#define HALF_RADIX 2
#define HALF_MAX ((half)65504.0f)
#define HALF_MIN ((half)0x1p-14f)
#define HALF_EPSILON ((half)0x1p-10f)
#define HALF_DECIMAL_DIG 5

#define CHAR_BIT 8
#define SCHAR_MAX 127
#define SCHAR_MIN (-128)
#define UCHAR_MAX 255
#define CHAR_MAX SCHAR_MAX
#define CHAR_MIN SCHAR_MIN
#define SHRT_MAX 32767
#define SHRT_MIN (-32768)
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295U
#define LONG_MAX 9223372036854775807L
#define LONG_MIN (-9223372036854775807L - 1)
#define ULONG_MAX 18446744073709551615UL
#define INT8_MAX SCHAR_MAX
#define INT8_MIN SCHAR_MIN
#define UINT8_MAX UCHAR_MAX
#define INT16_MAX SHRT_MAX
#define INT16_MIN SHRT_MIN
#define UINT16_MAX USHRT_MAX
#define INT32_MAX INT_MAX
#define INT32_MIN INT_MIN
#define UINT32_MAX UINT_MAX
#define INT64_MAX LONG_MAX
#define INT64_MIN LONG_MIN
#define UINT64_MAX ULONG_MAX
#define SIZE_MAX ULONG_MAX

// M(name, value) for each constant; M_..._F is of float, M_..._H of half.
#define M_E_F 2.71828182845904523536028747135266250f
#define M_LOG2E_F 1.44269504088896340735992468100189214f
#define M_LOG10E_F 0.434294481903251827651128918916605082f
#define M_LN2_F 0.693147180559945309417232121458176568f
#define M_LN10_F 2.30258509299404568401799145468436421f
#define M_PI_F 3.14159265358979323846264338327950288f
#define M_PI_2_F 1.57079632679489661923132169163975144f
#define M_PI_4_F 0.785398163397448309615660845819875721f
#define M_1_PI_F 0.318309886183790671537767526745028724f
#define M_2_PI_F 0.636619772367581343075535053490057448f
#define M_2_SQRTPI_F 1.12837916709551257389615890312154517f
#define M_SQRT2_F 1.41421356237309504880168872420969808f
#define M_SQRT1_2_F 0.707106781186547524400844362104849039f
#define M_E_H ((half)M_E_F)
#define M_LOG2E_H ((half)M_LOG2E_F)
#define M_LOG10E_H ((half)M_LOG10E_F)
#define M_LN2_H ((half)M_LN2_F)
#define M_LN10_H ((half)M_LN10_F)
#define M_PI_H ((half)M_PI_F)
#define M_PI_2_H ((half)M_PI_2_F)
#define M_PI_4_H ((half)M_PI_4_F)
#define M_1_PI_H ((half)M_1_PI_F)
#define M_2_PI_H ((half)M_2_PI_F)
#define M_2_SQRTPI_H ((half)M_2_SQRTPI_F)
#define M_SQRT2_H ((half)M_SQRT2_F)
#define M_SQRT1_2_H ((half)M_SQRT1_2_F)

namespace assay_msl {

template <class T>
struct numeric_limits {
  static constexpr bool is_specialized = false;
};

// A floating-point type with `mantissa` bits, the implied one included, and exponents up to `top`.
template <class T, int mantissa, int top>
struct floating_limits {
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;
  static constexpr bool has_infinity = true, has_quiet_NaN = true, is_iec559 = true, is_bounded = true;
  static constexpr bool has_signaling_NaN = true, is_modulo = false;
  static constexpr int digits = mantissa, radix = 2, max_exponent = top, min_exponent = 3 - top;
  static constexpr float power(int n) {
    float result = 1;
    for (; n > 0; --n) result *= 2;
    for (; n < 0; ++n) result /= 2;
    return result;
  }
  static constexpr T epsilon() { return T(power(1 - mantissa)); }
  static constexpr T min() { return T(power(2 - top)); }
  static constexpr T denorm_min() { return T(power(3 - top - mantissa)); }
  static constexpr T max() { return T((2 - power(1 - mantissa)) * power(top - 1)); }
  static constexpr T lowest() { return T(-float(max())); }
  static constexpr T infinity() { return T(__builtin_huge_valf()); }
  static constexpr T quiet_NaN() { return T(__builtin_nanf("")); }
  static constexpr T signaling_NaN() { return quiet_NaN(); }
  static constexpr T round_error() { return T(0.5f); }
};
template <>
struct numeric_limits<half> : floating_limits<half, 11, 16> {
  static constexpr int digits10 = 3, max_digits10 = 5, min_exponent10 = -4, max_exponent10 = 4;
};
template <>
struct numeric_limits<bfloat> : floating_limits<bfloat, 8, 128> {
  static constexpr int digits10 = 2, max_digits10 = 4, min_exponent10 = -37, max_exponent10 = 38;
};
template <>
struct numeric_limits<float> : floating_limits<float, 24, 128> {
  static constexpr int digits10 = 6, max_digits10 = 9, min_exponent10 = -37, max_exponent10 = 38;
};

template <class T, T smallest, T largest>
struct integer_limits {
  static constexpr bool is_specialized = true, is_signed = smallest < T(1) && smallest != T(0),
                        is_integer = true;
  static constexpr bool is_exact = true, has_infinity = false, has_quiet_NaN = false, is_bounded = true;
  static constexpr bool is_iec559 = false, has_signaling_NaN = false, is_modulo = !is_signed;
  static constexpr int radix = 2, digits = is_same_v<T, bool> ? 1 : int(sizeof(T)) * 8 - is_signed;
  static constexpr int digits10 = digits * 1233 / 4096;
  static constexpr T min() { return smallest; }
  static constexpr T lowest() { return smallest; }
  static constexpr T max() { return largest; }
  static constexpr T epsilon() { return T(0); }
  static constexpr T infinity() { return T(0); }
  static constexpr T quiet_NaN() { return T(0); }
  static constexpr T denorm_min() { return T(0); }
};
#define ASSAY_INTEGER_LIMITS(T, smallest, largest) \
  template <>                                      \
  struct numeric_limits<T> : integer_limits<T, smallest, largest> {};
ASSAY_INTEGER_LIMITS(bool, false, true)
ASSAY_INTEGER_LIMITS(char, SCHAR_MIN, SCHAR_MAX)
ASSAY_INTEGER_LIMITS(signed char, SCHAR_MIN, SCHAR_MAX)
ASSAY_INTEGER_LIMITS(uchar, 0, UCHAR_MAX)
ASSAY_INTEGER_LIMITS(short, SHRT_MIN, SHRT_MAX)
ASSAY_INTEGER_LIMITS(ushort, 0, USHRT_MAX)
ASSAY_INTEGER_LIMITS(int, INT_MIN, INT_MAX)
ASSAY_INTEGER_LIMITS(uint, 0, UINT_MAX)
ASSAY_INTEGER_LIMITS(long, LONG_MIN, LONG_MAX)
ASSAY_INTEGER_LIMITS(ulong, 0, ULONG_MAX)
#undef ASSAY_INTEGER_LIMITS

}  // namespace assay_msl
