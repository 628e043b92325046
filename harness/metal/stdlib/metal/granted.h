// What Metal grants functions of floats, and divisions, under fast math, which is how it compiles unless it is told
// otherwise: Metal Shading Language Specification, "Numerical Compliance", the tables for fast math.
//
// Each result is off to the side that a hash of the arguments says: the same for the same arguments. Where the table
// grants units in the last place (ulp), it is the nearest float on that side, which is off by at most one, and by one
// where the result is a float: a kernel may take the rest for itself. Where the table grants so much in all, it is off
// by that. Exact are what has no error in any table (exp(0) and the like), reciprocals, zeros, subnormals, infinities
// and NaN. Where a function is promised nothing, it is anything.
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

ASSAY_INLINE bool is_normal(float x) {
  const float magnitude = __builtin_fabsf(x);
  return magnitude >= 0x1p-126f && magnitude <= 0x1.FFFFFEp127f;
}
ASSAY_INLINE float neighbour(float x, bool above) {
  const uint bits = bits_as<uint>(x);
  return bits_as<float>(above == (x > 0) ? bits + 1 : bits - 1);
}
/// The nearest float on one side of the exact result.
ASSAY_INLINE float beside(double exact, uint hash) {
  const float nearest = float(exact);
  if (!is_normal(nearest)) return nearest;
  const bool above = (hash & 1) != 0;
  const double error = double(nearest) - exact;
  if (above ? error > 0 : error < 0) return nearest;
  const float other = neighbour(nearest, above);
  return is_normal(other) ? other : nearest;
}
/// A float that is off by so much, and no more.
ASSAY_INLINE float off(double exact, double most, uint hash) {
  const float nearest = float(exact);
  if (!is_normal(nearest)) return nearest;
  const bool above = (hash & 1) != 0;
  float result = float(above ? exact + most : exact - most);
  if (__builtin_fabs(double(result) - exact) > most) result = neighbour(result, !above);
  return result;
}
ASSAY_INLINE float anything(uint hash) { return float(int(hash)) * 0x1p-31f; }

/// Granted 2.5 ulp, for divisors from 2^-126 to 2^126. A compiler knows what a division by a constant power of two is.
ASSAY_INLINE float quotient(float x, float y) {
  // In conditions: as the value of a constant, the compiler settles the question before it knows.
  if (__builtin_constant_p(y) && (bits_as<uint>(y) & 0x7FFFFF) == 0) return x / y;
  if (__builtin_constant_p(x) && __builtin_constant_p(y)) return x / y;
  const float magnitude = __builtin_fabsf(y);
  if (x == 1 || x == -1 || !(magnitude >= 0x1p-126f && magnitude <= 0x1p126f)) return x / y;
  return beside(double(x) / double(y), hash(1, x, y));
}
/// Granted 3 + floor(|2 x|) ulp.
ASSAY_INLINE float exp(float x) { return x == 0 ? 1 : beside(__builtin_exp(double(x)), hash(2, x)); }
ASSAY_INLINE float exp2(float x) { return x == 0 ? 1 : beside(__builtin_exp2(double(x)), hash(3, x)); }
ASSAY_INLINE float exp10(float x) { return exp2(x * 3.32192809488736f); }
/// Granted 3 ulp, and 2^-21 from 0.5 to 2.
ASSAY_INLINE float logarithm(double exact, float x, uint hash) {
  if (!(x > 0) || x == 1) return float(exact);
  return x >= 0.5f && x <= 2 ? off(exact, 0x1p-21f, hash) : beside(exact, hash);
}
ASSAY_INLINE float log(float x) { return logarithm(__builtin_log(double(x)), x, hash(4, x)); }
ASSAY_INLINE float log2(float x) { return logarithm(__builtin_log2(double(x)), x, hash(5, x)); }
ASSAY_INLINE float log10(float x) { return log2(x) * 0.301029995663981f; }
ASSAY_INLINE float pow(float x, float y) { return exp2(y * log2(x)); }
ASSAY_INLINE float powr(float x, float y) { return pow(x, y); }
/// Granted 2 ulp.
ASSAY_INLINE float rsqrt(float x) { return beside(1 / __builtin_sqrt(double(x)), hash(6, x)); }
ASSAY_INLINE float sqrt(float x) {
  return x > 0 && x <= 0x1.FFFFFEp127f ? x * rsqrt(x) : __builtin_sqrtf(x);
}

/// Granted 2^-13 as far as the argument's magnitude is at most `turn`; NaN of infinities.
ASSAY_INLINE float wave(double exact, float x, float turn, uint hash) {
  if (x == 0 || !(__builtin_fabsf(x) <= 0x1.FFFFFEp127f)) return float(exact);
  return __builtin_fabsf(x) <= turn ? off(exact, 0x1p-13f, hash) : anything(hash);
}
constexpr float kPi = 3.14159274f;  // the float that is next to pi is a little more
ASSAY_INLINE float sin(float x) { return wave(__builtin_sin(double(x)), x, kPi, hash(7, x)); }
ASSAY_INLINE float cos(float x) { return wave(__builtin_cos(double(x)), x, kPi, hash(8, x)); }
ASSAY_INLINE float tan(float x) { return sin(x) * quotient(1, cos(x)); }
ASSAY_INLINE float sinpi(float x) { return wave(__builtin_sin(pi_times(x)), x, 1, hash(9, x)); }
ASSAY_INLINE float cospi(float x) { return wave(__builtin_cos(pi_times(x)), x, 1, hash(10, x)); }
ASSAY_INLINE float tanpi(float x) { return tan(x * kPi); }

/// Granted 5 ulp.
ASSAY_INLINE float asin(float x) { return beside(__builtin_asin(double(x)), hash(11, x)); }
ASSAY_INLINE float acos(float x) { return beside(__builtin_acos(double(x)), hash(12, x)); }
ASSAY_INLINE float atan(float x) { return beside(__builtin_atan(double(x)), hash(13, x)); }
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
  refuse_temporary<A>();
  if constexpr (is_same_v<scalar_t<value_t<decay_t<A>>>, float>) {
    a = decay_t<A>(granted_quotient(a, b));
  } else {
    a /= b;
  }
  return a;
}

}  // namespace assay_msl
