// <metal_geometric>: computed in float for half and bfloat, and rounded once.
#pragma once
#include "metal/math.h"

namespace assay_msl {

/// The vector that a function takes: of floating-point numbers.
template <class V>
using floats_t = enable_if_t<is_vec_v<V> && is_floating_point_v<scalar_t<V>>, V>;

/// The type that sums of products of T are taken in.
template <class T>
using sum_t = conditional_t<is_floating_point_v<T>, float, T>;

template <class T>
ASSAY_INLINE sum_t<T> wide_product(T a, T b) {
  return sum_t<T>(flushed(a)) * sum_t<T>(flushed(b));
}
template <class T, int N>
ASSAY_INLINE sum_t<T> dot_sum(const vec<T, N>& a, const vec<T, N>& b) {
  typedef sum_t<T> S;
  S sum = wide_product(a.s[0], b.s[0]) + wide_product(a.s[1], b.s[1]);
  if constexpr (N > 2) sum = sum + wide_product(a.s[2], b.s[2]);
  if constexpr (N > 3) sum = sum + wide_product(a.s[3], b.s[3]);
  return sum;
}
template <class A, class B, class V = floats_t<common_t<A, B>>>
ASSAY_INLINE scalar_t<V> dot(const A& a, const B& b) {
  return flushed(scalar_t<V>(dot_sum(argument<V>(a), argument<V>(b))));
}
template <class A, class T = scalar_t<floats_t<value_t<A>>>>
ASSAY_INLINE T length_squared(const A& a) {
  return dot(a, a);
}
template <class A, class T = scalar_t<floats_t<value_t<A>>>>
ASSAY_INLINE T length(const A& a) {
  const value_t<A> v(a);
  return flushed(T(__builtin_sqrtf(dot_sum(v, v))));
}
template <class A, class B, class V = floats_t<common_t<A, B>>>
ASSAY_INLINE scalar_t<V> distance(const A& a, const B& b) {
  return length(argument<V>(a) - argument<V>(b));
}
template <class A, class B, class V = floats_t<common_t<A, B>>>
ASSAY_INLINE scalar_t<V> distance_squared(const A& a, const B& b) {
  return length_squared(argument<V>(a) - argument<V>(b));
}
template <class A, class V = floats_t<value_t<A>>, class T = typename V::value_type>
ASSAY_INLINE V normalize(const A& a) {
  const V v(a);
  const float scale = 1 / __builtin_sqrtf(dot_sum(v, v));
  ASSAY_EACH(V, flushed(T(float(flushed(v.s[i])) * scale)));
}
template <class A, class B, class V = floats_t<common_t<A, B>>, class T = typename V::value_type>
ASSAY_INLINE V cross(const A& a, const B& b) {
  const V u(a), v(b);
  return V(flushed(T(wide_product(u.y, v.z) - wide_product(u.z, v.y))),
           flushed(T(wide_product(u.z, v.x) - wide_product(u.x, v.z))),
           flushed(T(wide_product(u.x, v.y) - wide_product(u.y, v.x))));
}
template <class A, class B, class V = floats_t<common_t<A, B>>>
ASSAY_INLINE V reflect(const A& incident, const B& normal) {
  const V i(incident), n(normal);
  return i - n * (scalar_t<V>(2) * dot(n, i));
}
/// The direction behind a surface, where light goes `eta` times as fast; zero where none does.
template <class A, class B, class E, class V = floats_t<common_t<A, B>>>
ASSAY_INLINE V refract(const A& incident, const B& normal, const E& eta) {
  typedef scalar_t<V> T;
  const V i(incident), n(normal);
  const T ratio = convert<T>(eta), cosine = dot(n, i), k = T(1) - ratio * ratio * (T(1) - cosine * cosine);
  return k < T(0) ? V(T(0)) : i * ratio - n * (ratio * cosine + T(__builtin_sqrtf(float(k))));
}
template <class A, class B, class C, class V = floats_t<common3_t<A, B, C>>>
ASSAY_INLINE V faceforward(const A& normal, const B& incident, const C& reference) {
  const V n(normal);
  return dot(reference, incident) < 0 ? n : -n;
}

}  // namespace assay_msl
