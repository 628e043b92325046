// Rows of eight elements as vectors of the host: conversion, rounding and multiply-add of eight at once.
#pragma once
#include "metal/vec.h"

namespace metal {

typedef float assay_detail::eight __attribute__((vector_size(32)));
typedef uint assay_detail::eight_bits __attribute__((vector_size(32)));
typedef float assay_detail::eight_in_memory __attribute__((vector_size(32), aligned(4), may_alias));
typedef ushort assay_detail::eight_words __attribute__((vector_size(16)));
typedef ushort assay_detail::eight_words_in_memory __attribute__((vector_size(16), aligned(2), may_alias));
typedef short assay_detail::eight_halves __attribute__((vector_size(16)));

ASSAY_INLINE assay_detail::eight assay_detail::widen_halves(assay_detail::eight_words words) {
#ifdef __F16C__
  return __builtin_ia32_vcvtph2ps256((assay_detail::eight_halves)words);
#else
  assay_detail::eight r;
  for (int i = 0; i < 8; ++i) r[i] = float(assay_detail::bits_as<half>(ushort(words[i])));
  return r;
#endif
}
ASSAY_INLINE assay_detail::eight_words assay_detail::narrow_to_halves(assay_detail::eight x) {
#ifdef __F16C__
  return (assay_detail::eight_words)__builtin_ia32_vcvtps2ph256(x, 0);  // to nearest even
#else
  assay_detail::eight_words r;
  for (int i = 0; i < 8; ++i) r[i] = assay_detail::bits_as<ushort>(half(x[i]));
  return r;
#endif
}
ASSAY_INLINE assay_detail::eight_words assay_detail::narrow_to_bfloats(assay_detail::eight x) {
  const assay_detail::eight_bits bits = (assay_detail::eight_bits)x;
  const assay_detail::eight_bits nearest = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  const assay_detail::eight_bits quiet = (bits >> 16) | 0x40;
  return __builtin_convertvector(x == x ? nearest : quiet, assay_detail::eight_words);
}

/// Eight elements at `from`, which need no alignment beyond their own, as floats.
template <class T>
ASSAY_INLINE assay_detail::eight assay_detail::load_eight(const T* from) {
  if constexpr (is_same_v<T, half>) {
    return assay_detail::widen_halves((assay_detail::eight_words) * reinterpret_cast<const assay_detail::eight_words_in_memory*>(from));
  } else if constexpr (is_same_v<T, bfloat>) {
    const assay_detail::eight_words words = (assay_detail::eight_words) * reinterpret_cast<const assay_detail::eight_words_in_memory*>(from);
    return (assay_detail::eight)(__builtin_convertvector(words, assay_detail::eight_bits) << 16);
  } else {
    static_assert(is_same_v<T, float>, "simdgroup matrices are of half, bfloat or float");
    return (assay_detail::eight) * reinterpret_cast<const assay_detail::eight_in_memory*>(from);
  }
}
template <class T>
ASSAY_INLINE void assay_detail::store_eight(T* to, assay_detail::eight x) {
  if constexpr (is_same_v<T, half>) {
    *reinterpret_cast<assay_detail::eight_words_in_memory*>(to) = assay_detail::narrow_to_halves(x);
  } else if constexpr (is_same_v<T, bfloat>) {
    *reinterpret_cast<assay_detail::eight_words_in_memory*>(to) = assay_detail::narrow_to_bfloats(x);
  } else {
    *reinterpret_cast<assay_detail::eight_in_memory*>(to) = x;
  }
}
/// Each element rounded to T.
template <class T>
ASSAY_INLINE assay_detail::eight assay_detail::round_eight(assay_detail::eight x) {
  if constexpr (is_same_v<T, half>) {
    return assay_detail::widen_halves(assay_detail::narrow_to_halves(x));
  } else if constexpr (is_same_v<T, bfloat>) {
    return (assay_detail::eight)(__builtin_convertvector(assay_detail::narrow_to_bfloats(x), assay_detail::eight_bits) << 16);
  } else {
    return x;
  }
}
/// sum + a * b. Where the products are exact, one rounding or two are the same, and the fused form is faster.
template <bool exact_products>
ASSAY_INLINE assay_detail::eight assay_detail::multiply_add_eight(float a, assay_detail::eight b, assay_detail::eight sum) {
#ifdef __FMA__
  if constexpr (exact_products) {
    return __builtin_ia32_vfmaddps256(assay_detail::eight{a, a, a, a, a, a, a, a}, b, sum);
  }
#endif
  return sum + a * b;
}

/// 8x8 transpose in three rounds of exchanges of 1, 2 and 4 columns.
ASSAY_INLINE void assay_detail::transpose_eights(assay_detail::eight (&row)[8]) {
#pragma GCC unroll 8
  for (int i = 0; i < 8; i += 2) {
    const assay_detail::eight a = row[i], b = row[i + 1];
    row[i] = __builtin_shuffle(a, b, assay_detail::eight_bits{0, 8, 2, 10, 4, 12, 6, 14});
    row[i + 1] = __builtin_shuffle(a, b, assay_detail::eight_bits{1, 9, 3, 11, 5, 13, 7, 15});
  }
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    if (i & 2) continue;
    const assay_detail::eight a = row[i], b = row[i + 2];
    row[i] = __builtin_shuffle(a, b, assay_detail::eight_bits{0, 1, 8, 9, 4, 5, 12, 13});
    row[i + 2] = __builtin_shuffle(a, b, assay_detail::eight_bits{2, 3, 10, 11, 6, 7, 14, 15});
  }
#pragma GCC unroll 8
  for (int i = 0; i < 4; ++i) {
    const assay_detail::eight a = row[i], b = row[i + 4];
    row[i] = __builtin_shuffle(a, b, assay_detail::eight_bits{0, 1, 2, 3, 8, 9, 10, 11});
    row[i + 4] = __builtin_shuffle(a, b, assay_detail::eight_bits{4, 5, 6, 7, 12, 13, 14, 15});
  }
}

}  // namespace metal
