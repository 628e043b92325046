// Subnormal halves where arithmetic flushes them (docs/numerics.md): the operands and results of what is
// computed, not what is moved, compared or converted. Floats, and bfloats by way of them, are flushed by the
// processor, whose bits do nothing to halves.
#pragma once
#include "metal/type_traits.h"

namespace assay_msl {

#ifdef ASSAY_FLUSHED
constexpr bool kFlushed = true;
#else
constexpr bool kFlushed = false;
#endif
/// Are numbers of this type flushed here, rather than by the processor?
template <class T>
constexpr bool flushed_here = kFlushed&& is_same_v<T, half>;

/// An operand or a result of arithmetic: a subnormal half is zero of its sign.
template <class T>
ASSAY_INLINE constexpr T flushed(T x) {
  if constexpr (flushed_here<T>) {
    const ushort bits = bits_as<ushort>(x);
    return bits & 0x7C00 ? x : bits_as<half>(ushort(bits & 0x8000));
  } else {
    return x;
  }
}
/// An argument of a function that computes an R in float.
template <class R, class A>
ASSAY_INLINE constexpr float operand_of(const A& a) {
  if constexpr (flushed_here<R> && is_same_v<A, half>) {
    return float(flushed(a));
  } else {
    return float(a);
  }
}
/// An operand of a float that holds a half.
template <bool is_half>
ASSAY_INLINE float flushed_as_half(float x) {
  if constexpr (!is_half) return x;
  return __builtin_fabsf(x) < 0x1p-14f ? __builtin_copysignf(0, x) : x;
}

// What lowering writes for sums and products (harness/metal/arithmetic.hpp). Vectors flush by their own
// operators; where the result is a float, a half is an operand that was converted.
#define ASSAY_FLUSHED_OPERATION(name, op)                                 \
  template <class A, class B>                                             \
  ASSAY_INLINE constexpr auto name(A a, B b)->decay_t<decltype(a op b)> { \
    typedef decay_t<decltype(a op b)> R;                                  \
    if constexpr (flushed_here<R>) {                                      \
      return flushed(R(flushed(a) op flushed(b)));                        \
    } else {                                                              \
      return a op b;                                                      \
    }                                                                     \
  }
ASSAY_FLUSHED_OPERATION(flushed_sum, +)
ASSAY_FLUSHED_OPERATION(flushed_difference, -)
ASSAY_FLUSHED_OPERATION(flushed_product, *)
ASSAY_FLUSHED_OPERATION(flushed_quotient, /)
#undef ASSAY_FLUSHED_OPERATION

/// A half on the left of += and the like.
template <class Place>
struct half_in_place {
  Place& place;
#define ASSAY_FLUSHED_ASSIGNMENT(name, op)                      \
  template <class B>                                            \
  ASSAY_INLINE constexpr Place& operator op(const B& b) const { \
    place = half(name(half(place), b));                         \
    return place;                                               \
  }
  ASSAY_FLUSHED_ASSIGNMENT(flushed_sum, +=)
  ASSAY_FLUSHED_ASSIGNMENT(flushed_difference, -=)
  ASSAY_FLUSHED_ASSIGNMENT(flushed_product, *=)
  ASSAY_FLUSHED_ASSIGNMENT(flushed_quotient, /=)
#undef ASSAY_FLUSHED_ASSIGNMENT
};
template <class T, int N>
struct vec;
template <class A>
constexpr bool is_temporary = scalar_kind<A> != 0;
template <class T, int N>
constexpr bool is_temporary<vec<T, N>> = true;
/// What stands on the left of += and the like is no number and no vector that nobody would look at again, as
/// components that lie apart are.
template <class A>
ASSAY_INLINE constexpr void refuse_temporary() {
  static_assert(!is_temporary<A>, "assay: these components cannot be changed in place; write `v.xz = v.xz + ...`");
}
/// What stands on the left of += and the like: itself, unless it is a half.
template <class A>
ASSAY_INLINE constexpr decltype(auto) flushing(A&& a) {
  refuse_temporary<A>();
  if constexpr (flushed_here<decay_t<A>>) {
    return half_in_place<remove_reference_t<A>>{a};
  } else {
    return static_cast<A&&>(a);
  }
}

}  // namespace assay_msl
