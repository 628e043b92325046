// Subnormal halves where functions flush them (docs/numerics.md): arguments and results of what is computed in
// float. Sums and products of halves are flushed by a pass (harness/metal/ir/flush.hpp). Floats, and bfloats by way
// of them, are flushed by the processor, whose bits do nothing to halves.
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

}  // namespace assay_msl
