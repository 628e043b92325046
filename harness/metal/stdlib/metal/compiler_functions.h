// The functions of Apple's compiler that its own headers are written in, and that headers of other people's
// wrap: `__metal_exp(x, __METAL_MAYBE_FAST_MATH__)`, `__metal_simd_sum(x)`. Each is the library's function of
// that name. The flags choose how exact a result is, and all ways are the exact one here.
#pragma once
#include "metal/geometric.h"
#include "metal/integer.h"
#include "metal/math.h"
#include "metal/matrix.h"
#include "metal/simdgroup.h"

#define __METAL_MAYBE_FAST_MATH__ 0
#define __METAL_FAST_MATH__ 1
#define __METAL_PRECISE_MATH__ 0

// Functions of one, two and three arguments, each with or without a flag behind them.
#define ASSAY_COMPILER1(name)                                                                          \
  template <class A>                                                                                   \
  ASSAY_INLINE constexpr auto __metal_##name(const A& a, bool = false)->decltype(assay_msl::name(a)) { \
    return assay_msl::name(a);                                                                         \
  }
#define ASSAY_COMPILER2(name)                                                      \
  template <class A, class B>                                                      \
  ASSAY_INLINE constexpr auto __metal_##name(const A& a, const B& b, bool = false) \
      ->decltype(assay_msl::name(a, b)) {                                          \
    return assay_msl::name(a, b);                                                  \
  }
#define ASSAY_COMPILER3(name)                                                                  \
  template <class A, class B, class C>                                                         \
  ASSAY_INLINE constexpr auto __metal_##name(const A& a, const B& b, const C& c, bool = false) \
      ->decltype(assay_msl::name(a, b, c)) {                                                   \
    return assay_msl::name(a, b, c);                                                           \
  }

ASSAY_COMPILER1(abs)
ASSAY_COMPILER1(acos)
ASSAY_COMPILER1(acosh)
ASSAY_COMPILER1(asin)
ASSAY_COMPILER1(asinh)
ASSAY_COMPILER1(atan)
ASSAY_COMPILER1(atanh)
ASSAY_COMPILER1(ceil)
ASSAY_COMPILER1(cos)
ASSAY_COMPILER1(cosh)
ASSAY_COMPILER1(cospi)
ASSAY_COMPILER1(exp)
ASSAY_COMPILER1(exp10)
ASSAY_COMPILER1(exp2)
ASSAY_COMPILER1(fabs)
ASSAY_COMPILER1(floor)
ASSAY_COMPILER1(fract)
ASSAY_COMPILER1(ilogb)
ASSAY_COMPILER1(isfinite)
ASSAY_COMPILER1(isinf)
ASSAY_COMPILER1(isnan)
ASSAY_COMPILER1(isnormal)
ASSAY_COMPILER1(log)
ASSAY_COMPILER1(log10)
ASSAY_COMPILER1(log2)
ASSAY_COMPILER1(rint)
ASSAY_COMPILER1(round)
ASSAY_COMPILER1(rsqrt)
ASSAY_COMPILER1(saturate)
ASSAY_COMPILER1(sign)
ASSAY_COMPILER1(signbit)
ASSAY_COMPILER1(sin)
ASSAY_COMPILER1(sinh)
ASSAY_COMPILER1(sinpi)
ASSAY_COMPILER1(sqrt)
ASSAY_COMPILER1(tan)
ASSAY_COMPILER1(tanh)
ASSAY_COMPILER1(tanpi)
ASSAY_COMPILER1(trunc)
// Of whole numbers, vectors and matrices.
ASSAY_COMPILER1(all)
ASSAY_COMPILER1(any)
ASSAY_COMPILER1(clz)
ASSAY_COMPILER1(ctz)
ASSAY_COMPILER1(determinant)
ASSAY_COMPILER1(length)
ASSAY_COMPILER1(length_squared)
ASSAY_COMPILER1(normalize)
ASSAY_COMPILER1(popcount)
ASSAY_COMPILER1(reverse_bits)
ASSAY_COMPILER1(transpose)

ASSAY_COMPILER2(absdiff)
ASSAY_COMPILER2(addsat)
ASSAY_COMPILER2(atan2)
ASSAY_COMPILER2(copysign)
ASSAY_COMPILER2(cross)
ASSAY_COMPILER2(distance)
ASSAY_COMPILER2(distance_squared)
ASSAY_COMPILER2(divide)
ASSAY_COMPILER2(dot)
ASSAY_COMPILER2(fdim)
ASSAY_COMPILER2(fmax)
ASSAY_COMPILER2(fmin)
ASSAY_COMPILER2(fmod)
ASSAY_COMPILER2(hadd)
ASSAY_COMPILER2(isordered)
ASSAY_COMPILER2(isunordered)
ASSAY_COMPILER2(ldexp)
ASSAY_COMPILER2(max)
ASSAY_COMPILER2(min)
ASSAY_COMPILER2(mul24)
ASSAY_COMPILER2(mulhi)
ASSAY_COMPILER2(nextafter)
ASSAY_COMPILER2(pow)
ASSAY_COMPILER2(powr)
ASSAY_COMPILER2(reflect)
ASSAY_COMPILER2(rhadd)
ASSAY_COMPILER2(rotate)
ASSAY_COMPILER2(step)
ASSAY_COMPILER2(subsat)

ASSAY_COMPILER3(clamp)
ASSAY_COMPILER3(faceforward)
ASSAY_COMPILER3(fma)
ASSAY_COMPILER3(fmax3)
ASSAY_COMPILER3(fmedian3)
ASSAY_COMPILER3(fmin3)
ASSAY_COMPILER3(mad)
ASSAY_COMPILER3(mad24)
ASSAY_COMPILER3(madhi)
ASSAY_COMPILER3(madsat)
ASSAY_COMPILER3(max3)
ASSAY_COMPILER3(median3)
ASSAY_COMPILER3(min3)
ASSAY_COMPILER3(mix)
ASSAY_COMPILER3(select)
ASSAY_COMPILER3(smoothstep)
#undef ASSAY_COMPILER1
#undef ASSAY_COMPILER2
#undef ASSAY_COMPILER3

// What gives two results hands the second one out by a pointer.
template <class A, class K>
ASSAY_INLINE auto __metal_frexp(const A& a, K* exponent, bool = false) {
  return assay_msl::frexp(a, *exponent);
}
template <class A, class R>
ASSAY_INLINE R __metal_modf(const A& a, R* whole, bool = false) {
  return assay_msl::modf(a, *whole);
}
template <class A, class R>
ASSAY_INLINE R __metal_sincos(const A& a, R* cosine, bool = false) {
  return assay_msl::sincos(a, *cosine);
}
template <class A>
ASSAY_INLINE auto __metal_extract_bits(const A& a, uint offset, uint bits) {
  return assay_msl::extract_bits(a, offset, bits);
}
template <class A, class B>
ASSAY_INLINE auto __metal_insert_bits(const A& base, const B& insert, uint offset, uint bits) {
  return assay_msl::insert_bits(base, insert, offset, bits);
}

// Across lanes. The size of a simdgroup comes as the type of the argument.
template <class T>
ASSAY_INLINE constexpr T __metal_get_simdgroup_size(T) {
  return T(ASSAY_SIMDGROUP_WIDTH);
}
template <class T>
ASSAY_INLINE constexpr T __metal_get_quadgroup_size(T) {
  return T(4);
}
template <class T>
ASSAY_INLINE T __metal_get_thread_index_in_simdgroup(T) {
  return T(assay_msl::lane_in_simdgroup());
}
template <class T>
ASSAY_INLINE T __metal_get_thread_index_in_quadgroup(T) {
  return T(assay_msl::lane_in_simdgroup() % 4);
}
#define ASSAY_COMPILER_LANES1(name)                              \
  template <class A>                                             \
  ASSAY_INLINE auto __metal_##name(const A& data, ASSAY_PLACE) { \
    return assay_msl::name(data, assay_line, assay_file);        \
  }
#define ASSAY_COMPILER_LANES2(name)                                            \
  template <class A>                                                           \
  ASSAY_INLINE auto __metal_##name(const A& data, ushort index, ASSAY_PLACE) { \
    return assay_msl::name(data, index, assay_line, assay_file);               \
  }
#define ASSAY_COMPILER_FILL(name, width)                                                         \
  template <class A, class B>                                                                    \
  ASSAY_INLINE auto __metal_##name(const A& data, const B& filling, ushort delta, ushort modulo, \
                                   ASSAY_PLACE) {                                                \
    return assay_msl::name(data, filling, delta, modulo, assay_line, assay_file);                \
  }                                                                                              \
  template <class A, class B>                                                                    \
  ASSAY_INLINE auto __metal_##name(const A& data, const B& filling, ushort delta, ASSAY_PLACE) { \
    return assay_msl::name(data, filling, delta, width, assay_line, assay_file);                 \
  }
#define ASSAY_COMPILER_VOTE(name)                                 \
  ASSAY_INLINE auto __metal_##name(bool predicate, ASSAY_PLACE) { \
    return assay_msl::name(predicate, assay_line, assay_file);    \
  }
#define ASSAY_COMPILER_LANES(group, width)                  \
  ASSAY_COMPILER_LANES1(group##_and)                        \
  ASSAY_COMPILER_LANES1(group##_broadcast_first)            \
  ASSAY_COMPILER_LANES1(group##_max)                        \
  ASSAY_COMPILER_LANES1(group##_min)                        \
  ASSAY_COMPILER_LANES1(group##_or)                         \
  ASSAY_COMPILER_LANES1(group##_prefix_exclusive_product)   \
  ASSAY_COMPILER_LANES1(group##_prefix_exclusive_sum)       \
  ASSAY_COMPILER_LANES1(group##_prefix_inclusive_product)   \
  ASSAY_COMPILER_LANES1(group##_prefix_inclusive_sum)       \
  ASSAY_COMPILER_LANES1(group##_product)                    \
  ASSAY_COMPILER_LANES1(group##_sum)                        \
  ASSAY_COMPILER_LANES1(group##_xor)                        \
  ASSAY_COMPILER_LANES2(group##_broadcast)                  \
  ASSAY_COMPILER_LANES2(group##_shuffle)                    \
  ASSAY_COMPILER_LANES2(group##_shuffle_down)               \
  ASSAY_COMPILER_LANES2(group##_shuffle_rotate_down)        \
  ASSAY_COMPILER_LANES2(group##_shuffle_rotate_up)          \
  ASSAY_COMPILER_LANES2(group##_shuffle_up)                 \
  ASSAY_COMPILER_LANES2(group##_shuffle_xor)                \
  ASSAY_COMPILER_FILL(group##_shuffle_and_fill_down, width) \
  ASSAY_COMPILER_FILL(group##_shuffle_and_fill_up, width)   \
  ASSAY_COMPILER_VOTE(group##_all)                          \
  ASSAY_COMPILER_VOTE(group##_any)
ASSAY_COMPILER_LANES(simd, ASSAY_SIMDGROUP_WIDTH)
ASSAY_COMPILER_LANES(quad, 4)
// A ballot is its bits here.
ASSAY_INLINE ulong __metal_simd_ballot(bool predicate, ASSAY_PLACE) {
  return ulong(assay_msl::simd_ballot(predicate, assay_line, assay_file));
}
ASSAY_INLINE ushort __metal_quad_ballot(bool predicate, ASSAY_PLACE) {
  return ushort(ulong(assay_msl::quad_ballot(predicate, assay_line, assay_file)));
}
ASSAY_INLINE bool __metal_simd_is_first(ASSAY_PLACE) {
  return assay_msl::simd_is_first(assay_line, assay_file);
}
ASSAY_INLINE bool __metal_quad_is_first(ASSAY_PLACE) {
  return assay_msl::quad_is_first(assay_line, assay_file);
}
#undef ASSAY_COMPILER_LANES1
#undef ASSAY_COMPILER_LANES2
#undef ASSAY_COMPILER_FILL
#undef ASSAY_COMPILER_VOTE
#undef ASSAY_COMPILER_LANES
