// What Metal grants functions of floats, and divisions, under fast math, which is how it compiles unless it is told
// otherwise: Metal Shading Language Specification, "Numerical Compliance", the tables for fast math.
//
// Each result is as far off as it may be, to the side that a hash of the arguments says: the same for the same
// arguments. Exact are what has no error in any table (exp(0) and the like), zeros, subnormals, infinities and NaN.
// Where a function is granted nothing, it is anything.
#pragma once
#include "metal/common.h"

namespace assay_msl {
namespace granted {

ASSAY_INLINE uint mixed(uint x) {
  x = (x ^ (x >> 16)) * 0x7FEB352D;
  x = (x ^ (x >> 15)) * 0x846CA68B;
  return x ^ (x >> 16);
}
/// Of a function, told from others by a number.
ASSAY_INLINE uint hash(uint function, float x, float y = 0) {
  return mixed(bits_as<uint>(x) + mixed(bits_as<uint>(y) + mixed(function)));
}

/// The float that is off by at most so many units in the last place of the exact result, or by so much.
ASSAY_INLINE float off(double exact, double ulps, double absolute, uint hash) {
  const float nearest = float(exact), magnitude = __builtin_fabsf(nearest);
  if (!(magnitude >= 0x1p-126f && magnitude <= 0x1.FFFFFEp127f)) return nearest;
  // 2^(exponent - 23) of the exact result.
  const double ulp = bits_as<double>((((bits_as<ulong>(exact) >> 52) & 0x7FF) - 23) << 52);
  const double most = ulps * ulp > absolute ? ulps * ulp : absolute;
  float result = float((hash & 1) != 0 ? exact + most : exact - most);
  if (!(__builtin_fabsf(result) <= 0x1.FFFFFEp127f)) return nearest;
  for (int i = 0; i < 2 && __builtin_fabs(double(result) - exact) > most; ++i)
    result = __builtin_nextafterf(result, nearest);
  return result;
}
ASSAY_INLINE float anything(uint hash) { return float(int(hash)) * 0x1p-31f; }

/// 2.5 ulp, and 1 ulp of a reciprocal, for divisors from 2^-126 to 2^126. A compiler knows what a division by a
/// constant power of two is.
ASSAY_INLINE float quotient(float x, float y) {
  const float magnitude = __builtin_fabsf(y);
  // In conditions: as the value of a constant, g++ settles the question before it knows.
  if (__builtin_constant_p(y) && (bits_as<uint>(y) & 0x7FFFFF) == 0) return x / y;
  if (__builtin_constant_p(x) && __builtin_constant_p(y)) return x / y;
  if (!(magnitude >= 0x1p-126f && magnitude <= 0x1p126f)) return x / y;
  return off(double(x) / double(y), x == 1 || x == -1 ? 1.0f : 2.5f, 0, hash(1, x, y));
}
ASSAY_INLINE float exp(float x) {
  if (x == 0) return 1;
  return off(__builtin_exp(double(x)), 3 + __builtin_floorf(__builtin_fabsf(2 * x)), 0, hash(2, x));
}
ASSAY_INLINE float exp2(float x) {
  if (x == 0) return 1;
  return off(__builtin_exp2(double(x)), 3 + __builtin_floorf(__builtin_fabsf(2 * x)), 0, hash(3, x));
}
ASSAY_INLINE float exp10(float x) { return exp2(x * 3.32192809488736f); }
ASSAY_INLINE float logarithm(double exact, float x, uint hash) {
  if (!(x > 0) || x == 1) return float(exact);
  return x >= 0.5f && x <= 2 ? off(exact, 0, 0x1p-21f, hash) : off(exact, 3, 0, hash);
}
ASSAY_INLINE float log(float x) { return logarithm(__builtin_log(double(x)), x, hash(4, x)); }
ASSAY_INLINE float log2(float x) { return logarithm(__builtin_log2(double(x)), x, hash(5, x)); }
ASSAY_INLINE float log10(float x) { return log2(x) * 0.301029995663981f; }
ASSAY_INLINE float pow(float x, float y) { return exp2(y * log2(x)); }
ASSAY_INLINE float powr(float x, float y) { return pow(x, y); }
ASSAY_INLINE float rsqrt(float x) { return off(1 / __builtin_sqrt(double(x)), 2, 0, hash(6, x)); }
ASSAY_INLINE float sqrt(float x) {
  return x > 0 && x <= 0x1.FFFFFEp127f ? x * rsqrt(x) : __builtin_sqrtf(x);
}

/// Within 2^-13 as far as the argument's magnitude is at most `turn`; NaN of infinities.
ASSAY_INLINE float wave(double exact, float x, float turn, uint hash) {
  if (x == 0 || !(__builtin_fabsf(x) <= 0x1.FFFFFEp127f)) return float(exact);
  return __builtin_fabsf(x) <= turn ? off(exact, 0, 0x1p-13f, hash) : anything(hash);
}
constexpr float kPi = 3.14159274f;  // the float that is next to pi is a little more
ASSAY_INLINE float sin(float x) { return wave(__builtin_sin(double(x)), x, kPi, hash(7, x)); }
ASSAY_INLINE float cos(float x) { return wave(__builtin_cos(double(x)), x, kPi, hash(8, x)); }
ASSAY_INLINE float tan(float x) { return sin(x) * quotient(1, cos(x)); }
ASSAY_INLINE float sinpi(float x) { return wave(__builtin_sin(pi_times(x)), x, 1, hash(9, x)); }
ASSAY_INLINE float cospi(float x) { return wave(__builtin_cos(pi_times(x)), x, 1, hash(10, x)); }
ASSAY_INLINE float tanpi(float x) { return tan(x * kPi); }

ASSAY_INLINE float asin(float x) { return off(__builtin_asin(double(x)), 5, 0, hash(11, x)); }
ASSAY_INLINE float acos(float x) { return off(__builtin_acos(double(x)), 5, 0, hash(12, x)); }
ASSAY_INLINE float atan(float x) { return off(__builtin_atan(double(x)), 5, 0, hash(13, x)); }
/// By atan(y / x), turned by pi where x is below 0.
ASSAY_INLINE float atan2(float y, float x) {
  if (x == 0 || y == 0 || __builtin_isinf(x) || __builtin_isinf(y)) return __builtin_atan2f(y, x);
  const float angle = atan(quotient(y, x));
  return x > 0 ? angle : y > 0 ? angle + kPi : angle - kPi;
}
ASSAY_INLINE float sinh(float x) { return 0.5f * (exp(x) - exp(-x)); }
ASSAY_INLINE float cosh(float x) { return 0.5f * (exp(x) + exp(-x)); }
/// NaN where exp(2 x) is infinite.
ASSAY_INLINE float tanh(float x) {
  const float t = exp(2 * x);
  return quotient(t - 1, t + 1);
}
ASSAY_INLINE float asinh(float x) { return log(x + sqrt(x * x + 1)); }
ASSAY_INLINE float acosh(float x) { return log(x + sqrt(x * x - 1)); }
ASSAY_INLINE float atanh(float x) { return log(quotient(1 + x, 1 - x)) * 0.5f; }
ASSAY_INLINE float divide(float x, float y) { return quotient(x, y); }

}  // namespace granted

/// What lowering writes for a / b (harness/metal/arithmetic.hpp). Quotients of halves and bfloats are rounded
/// correctly.
template <class A, class B>
ASSAY_INLINE constexpr auto granted_quotient(A a, B b) -> decay_t<decltype(a / b)> {
  typedef decay_t<decltype(a / b)> R;
  typedef value_t<R> V;
  if constexpr (is_same_v<scalar_t<V>, float>) {
    if (__builtin_is_constant_evaluated()) return a / b;
    const V x(a), y(b);
    if constexpr (is_vec_v<V>) {
      ASSAY_EACH(V, granted::quotient(x.s[i], y.s[i]));
    } else {
      return granted::quotient(x, y);
    }
  } else {
    return a / b;
  }
}
/// a /= b, likewise.
template <class A, class B>
ASSAY_INLINE constexpr A& divide_as_granted(A&& a, B b) {
  if constexpr (is_same_v<scalar_t<value_t<decay_t<A>>>, float>) {
    a = decay_t<A>(granted_quotient(a, b));
  } else {
    a /= b;
  }
  return a;
}

}  // namespace assay_msl
