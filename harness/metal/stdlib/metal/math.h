// <metal_math>. Functions of half and bfloat are computed in float and rounded once.
#pragma once
#include "metal/common.h"

namespace assay_msl {

// Of pi x: the argument is reduced exactly, to [-1, 1]. Pi is a sum of two floats, as literals are floats
// here.
ASSAY_INLINE constexpr double pi_times(float x) {
  constexpr double pi = double(3.14159274f) - double(8.74227766e-8f);
  return double(x - 2 * __builtin_rintf(x / 2)) * pi;
}
}  // namespace assay_msl

// A function that comes fast and precise: the first in this namespace, where arguments find it too, the second in
// `accurate`. They are the same unless a kernel is compiled with what fast math grants (Numerics::approximate). What
// a compiler knows beforehand it computes as it is; and functions of halves are not granted less than those are
// computed with.
#ifdef ASSAY_APPROXIMATE
#include "metal/granted.h"
namespace assay_msl {
template <class R>
constexpr bool is_granted = !is_same_v<R, half>;
}
#define ASSAY_FAST1(name, expression)                 \
  namespace accurate {                                \
  ASSAY_FLOAT1(name, expression)                      \
  }                                                   \
  ASSAY_FLOAT1(name, !is_granted<R> || __builtin_is_constant_evaluated() || __builtin_constant_p(x) \
                         ? float(expression)          \
                         : granted::name(x))
#define ASSAY_FAST2(name, expression)                 \
  namespace accurate {                                \
  ASSAY_FLOAT2(name, expression)                      \
  }                                                   \
  ASSAY_FLOAT2(name, !is_granted<R> || __builtin_is_constant_evaluated() ? float(expression) : granted::name(x, y))
#else
#define ASSAY_FAST1 ASSAY_FLOAT1
#define ASSAY_FAST2 ASSAY_FLOAT2
#endif

namespace assay_msl {

// What changes the sign alone computes nothing: subnormals stay.
ASSAY_FUNCTION1(fabs, float, R(__builtin_fabsf(x)))
ASSAY_FUNCTION2(copysign, float, R(__builtin_copysignf(x, y)))
ASSAY_FLOAT1(floor, __builtin_floorf(x))
ASSAY_FLOAT1(ceil, __builtin_ceilf(x))
ASSAY_FLOAT1(round, __builtin_roundf(x))
ASSAY_FLOAT1(rint, __builtin_rintf(x))
ASSAY_FLOAT1(trunc, __builtin_truncf(x))
ASSAY_FAST1(sqrt, __builtin_sqrtf(x))
ASSAY_FAST1(rsqrt, 1 / __builtin_sqrtf(x))
ASSAY_FAST1(exp, __builtin_expf(x))
ASSAY_FAST1(exp2, __builtin_exp2f(x))
ASSAY_FAST1(exp10, __builtin_exp10f(x))
ASSAY_FAST1(log, __builtin_logf(x))
ASSAY_FAST1(log2, __builtin_log2f(x))
ASSAY_FAST1(log10, __builtin_log10f(x))
ASSAY_FAST1(sin, __builtin_sinf(x))
ASSAY_FAST1(cos, __builtin_cosf(x))
ASSAY_FAST1(tan, __builtin_tanf(x))
ASSAY_FAST1(asin, __builtin_asinf(x))
ASSAY_FAST1(acos, __builtin_acosf(x))
ASSAY_FAST1(atan, __builtin_atanf(x))
ASSAY_FAST1(sinh, __builtin_sinhf(x))
ASSAY_FAST1(cosh, __builtin_coshf(x))
ASSAY_FAST1(tanh, __builtin_tanhf(x))
ASSAY_FAST1(asinh, __builtin_asinhf(x))
ASSAY_FAST1(acosh, __builtin_acoshf(x))
ASSAY_FAST1(atanh, __builtin_atanhf(x))
ASSAY_FAST1(sinpi, __builtin_sin(pi_times(x)))
ASSAY_FAST1(cospi, __builtin_cos(pi_times(x)))
ASSAY_FAST1(tanpi, __builtin_tan(pi_times(x)))
ASSAY_FAST2(atan2, __builtin_atan2f(x, y))
ASSAY_FAST2(pow, __builtin_powf(x, y))
ASSAY_FAST2(powr, x < 0 ? __builtin_nanf("") : __builtin_powf(x, y))
ASSAY_FLOAT2(fmod, __builtin_fmodf(x, y))
ASSAY_FLOAT2(fdim, __builtin_fdimf(x, y))
ASSAY_FAST2(divide, x / y)

/// x - floor(x), below 1: the largest number below it where the difference would round to it.
template <class R>
constexpr float below_1 = is_same_v<R, half> ? 0x1.FFCp-1f : is_same_v<R, bfloat> ? 0x1.FEp-1f : 0x1.FFFFFEp-1f;
ASSAY_INLINE constexpr float fraction(float x, float below_1) {
  const float f = x - __builtin_floorf(x);
  return f > below_1 ? below_1 : f;
}
ASSAY_FLOAT1(fract, fraction(x, below_1<R>))

/// a * b + c with one rounding.
ASSAY_INLINE constexpr float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
ASSAY_INLINE constexpr bfloat fused(bfloat a, bfloat b, bfloat c) {
  return bfloat(fused(float(a), float(b), float(c)));
}
/// By way of double, whose 53 bits hold the product and nearly every sum. Where the sum is rounded, what is
/// lost is smaller than 2^-52 of it, and then either the product is, in which case the sum is next to the
/// half c, or c is: at least 2^-24, it can only be lost beside a product that overflows.
ASSAY_INLINE constexpr half fused(half a, half b, half c) {
  return flushed(half_from_double(double(operand_of<half>(a)) * double(operand_of<half>(b)) +
                                  double(operand_of<half>(c))));
}
#define ASSAY_FMA(T, name) \
  ASSAY_INLINE constexpr T name(T a, T b, T c) { return fused(a, b, c); }
ASSAY_OVERLOADS_float(ASSAY_FMA, fma)
#undef ASSAY_FMA
template <class A, class B, class C, class = others_t<A, B, C>, class R = floating_t<common3_t<A, B, C>>>
ASSAY_INLINE constexpr R fma(const A& a, const B& b, const C& c) {
  if constexpr (is_vec_v<R>) {
    const R v = argument<R>(a), u = argument<R>(b), t = argument<R>(c);
    ASSAY_EACH(R, fused(v.s[i], u.s[i], t.s[i]));
  } else {
    return fused(convert<R>(a), convert<R>(b), convert<R>(c));
  }
}
/// a * b + c, each operation rounded. Metal's library has none, but its compiler (compiler_functions.h).
template <class A, class B, class C, class R = common3_t<A, B, C>>
ASSAY_INLINE constexpr R mad(const A& a, const B& b, const C& c) {
  if constexpr (is_vec_v<R>) {
    const R v = argument<R>(a), u = argument<R>(b), t = argument<R>(c);
    ASSAY_EACH(R, mad(v.s[i], u.s[i], t.s[i]));
  } else {
    return R(R(convert<R>(a) * convert<R>(b)) + convert<R>(c));
  }
}

/// x * 2^k.
#define ASSAY_LDEXP(T, name) \
  ASSAY_INLINE constexpr T name(T a, int k) { return flushed(T(__builtin_ldexpf(operand_of<T>(a), k))); }
ASSAY_OVERLOADS_float(ASSAY_LDEXP, ldexp)
#undef ASSAY_LDEXP
template <class A, class K, class = others_t<A>, class R = floating_t<A>>
ASSAY_INLINE constexpr R ldexp(const A& a, const K& k) {
  if constexpr (is_vec_v<R>) {
    const R v = argument<R>(a);
    const vec<int, value_of<R>::count> e(k);
    ASSAY_EACH(R, ldexp(v.s[i], e.s[i]));
  } else {
    return flushed(R(__builtin_ldexpf(operand_of<R>(a), int(k))));
  }
}
/// The fraction, in [0.5, 1), and its power of two.
#define ASSAY_FREXP(T, name)                                  \
  ASSAY_INLINE constexpr T name(T a, int& exponent) {         \
    int e = 0;                                                \
    const float fraction = __builtin_frexpf(float(a), &e);    \
    exponent = e;                                             \
    return T(fraction);                                       \
  }
ASSAY_OVERLOADS_float(ASSAY_FREXP, frexp)
#undef ASSAY_FREXP
template <class A, class K, class = others_t<A>, class R = floating_t<A>>
ASSAY_INLINE constexpr R frexp(const A& a, K& exponent) {
  if constexpr (is_vec_v<R>) {
    const R v = argument<R>(a);
    R r;
    for (int i = 0; i < value_of<R>::count; ++i) r.s[i] = frexp(v.s[i], exponent.s[i]);
    return r;
  } else {
    int e = 0;
    const float fraction = __builtin_frexpf(float(a), &e);
    exponent = e;
    return R(fraction);
  }
}
/// The fractional part; the whole part goes to `whole`. Both have the argument's sign.
#define ASSAY_MODF(T, name)                                      \
  ASSAY_INLINE constexpr T name(T a, T& whole) {                 \
    whole = trunc(a);                                            \
    return copysign(select(T(a - whole), T(0), isinf(a)), a);    \
  }
ASSAY_OVERLOADS_float(ASSAY_MODF, modf)
#undef ASSAY_MODF
template <class A, class = others_t<A>, class R = floating_t<A>>
ASSAY_INLINE constexpr R modf(const A& a, R& whole) {
  whole = trunc(a);
  return copysign(select(R(a) - whole, R(0), isinf(a)), a);
}
#define ASSAY_SINCOS_OVERLOAD(T, of)                              \
  ASSAY_INLINE constexpr T sincos(T a, T& cosine) {               \
    cosine = of::cos(a);                                          \
    return of::sin(a);                                            \
  }
#define ASSAY_SINCOS(of)                                          \
  ASSAY_OVERLOADS_float(ASSAY_SINCOS_OVERLOAD, of)                \
  template <class A, class = others_t<A>, class R = floating_t<A>> \
  ASSAY_INLINE constexpr R sincos(const A& a, R& cosine) {        \
    cosine = of::cos(a);                                            \
    return of::sin(a);                                              \
  }
ASSAY_SINCOS(assay_msl)
#ifdef ASSAY_APPROXIMATE
namespace accurate {
ASSAY_SINCOS(accurate)
}
#else
namespace accurate = assay_msl;
#endif
#undef ASSAY_SINCOS
#undef ASSAY_SINCOS_OVERLOAD
#define ASSAY_ILOGB(T, name) \
  ASSAY_INLINE constexpr int name(T a) { return int(__builtin_ilogbf(float(a))); }
ASSAY_OVERLOADS_float(ASSAY_ILOGB, ilogb)
#undef ASSAY_ILOGB
template <class A, class = others_t<A>, class F = floating_t<A>>
ASSAY_INLINE constexpr auto ilogb(const A& a) {
  if constexpr (is_vec_v<F>) {
    const F v = argument<F>(a);
    typedef vec<int, value_of<F>::count> R;
    ASSAY_EACH(R, ilogb(v.s[i]));
  } else {
    return int(__builtin_ilogbf(float(a)));
  }
}
/// The next number of x's type from x towards y.
ASSAY_INLINE constexpr float next_of(float x, float y) { return __builtin_nextafterf(x, y); }
template <class R>
ASSAY_INLINE constexpr R next_of(R x, R y) {
  if (!(x < y || x > y)) return x == y ? y : R(x + y);
  ushort bits = bits_as<ushort>(x);
  if (x == R(0)) return bits_as<R>(ushort(y > R(0) ? 1 : 0x8001));
  bits = ushort((x < y) == (x > R(0)) ? bits + 1 : bits - 1);
  return bits_as<R>(bits);
}
#define ASSAY_NEXTAFTER(T, name) \
  ASSAY_INLINE constexpr T name(T a, T b) { return next_of(a, b); }
ASSAY_OVERLOADS_float(ASSAY_NEXTAFTER, nextafter)
#undef ASSAY_NEXTAFTER
template <class A, class B, class = others_t<A, B>, class R = floating_t<common_t<A, B>>>
ASSAY_INLINE constexpr R nextafter(const A& a, const B& b) {
  if constexpr (is_vec_v<R>) {
    const R v = argument<R>(a), u = argument<R>(b);
    ASSAY_EACH(R, nextafter(v.s[i], u.s[i]));
  } else {
    return next_of(convert<R>(a), convert<R>(b));
  }
}

}  // namespace assay_msl
