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

/// A colour's share of light as sRGB stores it, and back (IEC 61966-2-1).
ASSAY_INLINE float srgb_from_linear(float x) {
  return x <= 0.0031308f ? x * 12.92f : 1.055f * __builtin_powf(x, 1 / 2.4f) - 0.055f;
}
ASSAY_INLINE float linear_from_srgb(float x) {
  return x <= 0.04045f ? x / 12.92f : __builtin_powf((x + 0.055f) / 1.055f, 2.4f);
}
/// Three components in sRGB, the fourth as it is.
template <class T>
ASSAY_INLINE vec<T, 4> unpack_srgb(uint word) {
  const auto stored = unpack_normalised<float, 4, 8, false>(word);
  vec<T, 4> result;
  for (int i = 0; i < 4; ++i) result.s[i] = T(i < 3 ? linear_from_srgb(stored.s[i]) : stored.s[i]);
  return result;
}
ASSAY_INLINE uint pack_srgb(const vec<float, 4>& values) {
  vec<float, 4> stored;
  for (int i = 0; i < 4; ++i) {
    const float x = values.s[i], inside = isnan(x) ? 0.0f : clamp(x, 0.0f, 1.0f);
    stored.s[i] = i < 3 ? srgb_from_linear(inside) : inside;
  }
  return pack_normalised<4, 8, false>(stored);
}
/// `bits` bits of a word from bit `low` on, as a share of the largest number that they can hold; and back.
template <class T>
ASSAY_INLINE T field(uint word, uint low, uint bits) {
  const uint one = (1u << bits) - 1;
  return T(double((word >> low) & one) / double(one));
}
ASSAY_INLINE uint field_of(float x, uint low, uint bits) {
  const float inside = isnan(x) ? 0.0f : clamp(x, 0.0f, 1.0f);
  return uint(__builtin_rintf(inside * float((1u << bits) - 1))) << low;
}

#define ASSAY_COLOURS(T)                                                                                       \
  ASSAY_INLINE vec<T, 4> unpack_unorm4x8_srgb_to_##T(uint x) { return unpack_srgb<T>(x); }                     \
  ASSAY_INLINE uint pack_##T##_to_srgb_unorm4x8(const vec<T, 4>& x) { return pack_srgb(vec<float, 4>(x)); }    \
  ASSAY_INLINE uint pack_##T##_to_unorm4x8_srgb(const vec<T, 4>& x) { return pack_srgb(vec<float, 4>(x)); }    \
  ASSAY_INLINE vec<T, 4> unpack_unorm10a2_to_##T(uint x) {                                                     \
    return vec<T, 4>(field<T>(x, 0, 10), field<T>(x, 10, 10), field<T>(x, 20, 10), field<T>(x, 30, 2));        \
  }                                                                                                            \
  ASSAY_INLINE uint pack_##T##_to_unorm10a2(const vec<T, 4>& x) {                                              \
    return field_of(float(x.s[0]), 0, 10) | field_of(float(x.s[1]), 10, 10) | field_of(float(x.s[2]), 20, 10) | \
           field_of(float(x.s[3]), 30, 2);                                                                     \
  }                                                                                                            \
  ASSAY_INLINE vec<T, 3> unpack_unorm565_to_##T(ushort x) {                                                    \
    return vec<T, 3>(field<T>(x, 11, 5), field<T>(x, 5, 6), field<T>(x, 0, 5));                                \
  }                                                                                                            \
  ASSAY_INLINE ushort pack_##T##_to_unorm565(const vec<T, 3>& x) {                                             \
    return ushort(field_of(float(x.s[0]), 11, 5) | field_of(float(x.s[1]), 5, 6) |                             \
                  field_of(float(x.s[2]), 0, 5));                                                              \
  }
ASSAY_COLOURS(float)
ASSAY_COLOURS(half)
#undef ASSAY_COLOURS

}  // namespace assay_msl
