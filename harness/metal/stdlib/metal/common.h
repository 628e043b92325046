// <metal_common>, <metal_relational> and the functions of <metal_math> and <metal_integer> that take any
// number.
#pragma once
#include "metal/function_traits.h"

namespace assay_msl {

// Of floats, the other operand if one is NaN.
ASSAY_ANY2(min, number, R m = x < y ? x : y; if constexpr (is_floating_point_v<R>) m = y != y ? x : m; return m;)
ASSAY_ANY2(max, number, R m = x > y ? x : y; if constexpr (is_floating_point_v<R>) m = y != y ? x : m; return m;)
ASSAY_ANY2(fmin, float, return R(min(x, y));)
ASSAY_ANY2(fmax, float, return R(max(x, y));)
ASSAY_ANY3(min3, number, return R(min(x, min(y, z)));)
ASSAY_ANY3(max3, number, return R(max(x, max(y, z)));)
ASSAY_ANY3(fmin3, float, return R(min(x, min(y, z)));)
ASSAY_ANY3(fmax3, float, return R(max(x, max(y, z)));)
ASSAY_ANY3(median3, number, return R(max(min(x, y), min(max(x, y), z)));)
ASSAY_ANY3(fmedian3, float, return R(max(min(x, y), min(max(x, y), z)));)
ASSAY_ANY3(clamp, number, return R(min(max(x, y), z));)
ASSAY_ANY1(abs, number, if constexpr (is_unsigned_v<R>) return x;
           else if constexpr (is_floating_point_v<R>) return R(__builtin_fabsf(float(x)));
           else return R(x < 0 ? -x : x);)

ASSAY_FLOAT1(saturate, x > 0 ? (x < 1 ? x : 1.0f) : 0.0f)
ASSAY_FLOAT1(sign, x > 0 ? 1.0f : x < 0 ? -1.0f : x == 0 ? x : 0.0f)
ASSAY_FLOAT3(mix, x + (y - x) * z)
ASSAY_FLOAT2(step, y < x ? 0.0f : 1.0f)
ASSAY_INLINE constexpr float smooth(float t) { return t * t * (3 - 2 * t); }
ASSAY_FLOAT3(smoothstep, smooth(saturate((z - x) / (y - x))))

/// b where c is true, else a.
#define ASSAY_SELECT(T, name) \
  ASSAY_INLINE constexpr T name(T a, T b, bool c) { return c ? b : a; }
ASSAY_OVERLOADS_number(ASSAY_SELECT, select)
#undef ASSAY_SELECT
template <class A, class B, class = others_t<A, B>, class R = common_t<A, B>>
ASSAY_INLINE constexpr R select(const A& a, const B& b, bool c) {
  return c ? argument<R>(b) : argument<R>(a);
}
template <class A, class B, int N, class R = common_t<A, B>>
ASSAY_INLINE R select(const A& a, const B& b, const vec<bool, N>& c) {
  const R v = argument<R>(a), u = argument<R>(b);
  ASSAY_EACH(R, c.s[i] ? u.s[i] : v.s[i]);
}

ASSAY_INLINE constexpr bool any(bool x) { return x; }
ASSAY_INLINE constexpr bool all(bool x) { return x; }
template <int N>
ASSAY_INLINE bool any(const vec<bool, N>& v) {
  bool r = false;
  for (int i = 0; i < N; ++i) r |= v.s[i];
  return r;
}
template <int N>
ASSAY_INLINE bool all(const vec<bool, N>& v) {
  bool r = true;
  for (int i = 0; i < N; ++i) r &= v.s[i];
  return r;
}

// Questions about floating-point numbers, by their bits as floats.
#define ASSAY_QUESTION_BODY(F, expression)       \
  const float number = float(a);                 \
  const uint bits = bits_as<uint>(number);       \
  const uint magnitude = bits & 0x7FFFFFFF;      \
  constexpr float smallest = smallest_normal<F>; \
  (void)bits, (void)magnitude, (void)smallest;   \
  return bool(expression);
#define ASSAY_QUESTION_OVERLOAD(T, name, expression) \
  ASSAY_INLINE constexpr bool name(T a) { ASSAY_QUESTION_BODY(T, expression) }
#define ASSAY_QUESTION(name, expression)                               \
  ASSAY_OVERLOADS_float(ASSAY_QUESTION_OVERLOAD, name, expression)     \
  template <class A, class = others_t<A>, class F = floating_t<A>>     \
  ASSAY_INLINE constexpr auto name(const A& a) {                       \
    if constexpr (is_vec_v<F>) {                                       \
      const F v = argument<F>(a);                                      \
      typedef vec<bool, value_of<F>::count> R;                         \
      ASSAY_EACH(R, name(v.s[i]));                                     \
    } else {                                                           \
      ASSAY_QUESTION_BODY(F, expression)                               \
    }                                                                  \
  }
template <class F>
constexpr float smallest_normal = is_same_v<F, half> ? 0x1p-14f : 0x1p-126f;
ASSAY_QUESTION(isnan, magnitude > 0x7F800000)
ASSAY_QUESTION(isinf, magnitude == 0x7F800000)
ASSAY_QUESTION(isfinite, magnitude < 0x7F800000)
ASSAY_QUESTION(isnormal, magnitude < 0x7F800000 && bits_as<float>(magnitude) >= smallest)
ASSAY_QUESTION(signbit, bits >> 31)
#undef ASSAY_QUESTION
#undef ASSAY_QUESTION_BODY
#undef ASSAY_QUESTION_OVERLOAD
#define ASSAY_ORDERED(T, name, expression) \
  ASSAY_INLINE constexpr bool name(T a, T b) { return expression; }
ASSAY_OVERLOADS_float(ASSAY_ORDERED, isunordered, isnan(a) || isnan(b))
ASSAY_OVERLOADS_float(ASSAY_ORDERED, isordered, !isunordered(a, b))
#undef ASSAY_ORDERED
template <class A, class B, class = others_t<A, B>>
ASSAY_INLINE constexpr auto isunordered(const A& a, const B& b) {
  return isnan(a) || isnan(b);
}
template <class A, class B, class = others_t<A, B>>
ASSAY_INLINE constexpr auto isordered(const A& a, const B& b) {
  return !isunordered(a, b);
}

}  // namespace assay_msl
