// <metal_pack>: normalised integers in the bits of a word, the first component in the lowest.
#pragma once
#include "metal/math.h"

namespace assay_msl {

/// What a component of 1 is as an integer of so many bits.
template <int bits, bool is_signed>
constexpr uint one_of_bits = (1u << (bits - is_signed)) - 1;

/// Integers divided by that of 1, rounded once; the one below -1 that a signed one may be is -1.
template <class T, int N, int bits, bool is_signed>
ASSAY_INLINE vec<T, N> unpack_normalised(uint word) {
  vec<T, N> result;
  for (int i = 0; i < N; ++i) {
    const uint high = word << (32 - bits * (i + 1));
    const int code = is_signed ? int(high) >> (32 - bits) : int(high >> (32 - bits));
    const double value = double(code) / double(one_of_bits<bits, is_signed>);
    result.s[i] = T(value < double(-1) ? double(-1) : value);
  }
  return result;
}
/// Clamped, times the integer of 1, rounded to the nearest integer, to even between two. NaN becomes 0.
template <int N, int bits, bool is_signed>
ASSAY_INLINE uint pack_normalised(const vec<float, N>& values) {
  uint word = 0;
  for (int i = 0; i < N; ++i) {
    const float x = values.s[i];
    const float inside = isnan(x) ? 0.0f : clamp(x, is_signed ? -1.0f : 0.0f, 1.0f);
    const int code = int(__builtin_rintf(inside * float(one_of_bits<bits, is_signed>)));
    word |= (uint(code) << (32 - bits)) >> (32 - bits * (i + 1));
  }
  return word;
}

#define ASSAY_PACK(name, N, bits, is_signed)                       \
  ASSAY_INLINE vec<float, N> unpack_##name##_to_float(uint x) {    \
    return unpack_normalised<float, N, bits, is_signed>(x);        \
  }                                                                \
  ASSAY_INLINE vec<half, N> unpack_##name##_to_half(uint x) {      \
    return unpack_normalised<half, N, bits, is_signed>(x);         \
  }                                                                \
  ASSAY_INLINE uint pack_float_to_##name(const vec<float, N>& x) { \
    return pack_normalised<N, bits, is_signed>(x);                 \
  }                                                                \
  ASSAY_INLINE uint pack_half_to_##name(const vec<half, N>& x) {   \
    return pack_normalised<N, bits, is_signed>(vec<float, N>(x));  \
  }
ASSAY_PACK(unorm4x8, 4, 8, false)
ASSAY_PACK(snorm4x8, 4, 8, true)
ASSAY_PACK(unorm2x16, 2, 16, false)
ASSAY_PACK(snorm2x16, 2, 16, true)
#undef ASSAY_PACK

#define ASSAY_REFUSED(name) __attribute__((error("assay: `" #name "`: colours of pixels are not supported")))
#define ASSAY_COLOURS(name, N, word)                                                    \
  ASSAY_REFUSED(unpack_##name##_to_float) vec<float, N> unpack_##name##_to_float(word); \
  ASSAY_REFUSED(unpack_##name##_to_half) vec<half, N> unpack_##name##_to_half(word);    \
  ASSAY_REFUSED(pack_float_to_##name) word pack_float_to_##name(vec<float, N>);         \
  ASSAY_REFUSED(pack_half_to_##name) word pack_half_to_##name(vec<half, N>);
ASSAY_COLOURS(unorm4x8_srgb, 4, uint)
ASSAY_COLOURS(unorm10a2, 4, uint)
ASSAY_COLOURS(unorm565, 3, ushort)
#undef ASSAY_COLOURS
#undef ASSAY_REFUSED

}  // namespace assay_msl
