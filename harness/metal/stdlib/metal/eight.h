// Rows of eight elements as vectors of the host: conversion, rounding and multiply-add of eight at once.
#pragma once
#include "metal/vec.h"

namespace assay_msl {

typedef float eight __attribute__((vector_size(32)));
typedef uint eight_bits __attribute__((vector_size(32)));
typedef float eight_in_memory __attribute__((vector_size(32), aligned(4), may_alias));
typedef ushort eight_words __attribute__((vector_size(16)));
typedef ushort eight_words_in_memory __attribute__((vector_size(16), aligned(2), may_alias));
typedef short eight_halves __attribute__((vector_size(16)));

ASSAY_INLINE eight widen_halves(eight_words words) {
#ifdef __F16C__
  return __builtin_ia32_vcvtph2ps256((eight_halves)words);
#else
  eight r;
  for (int i = 0; i < 8; ++i) r[i] = float(bits_as<half>(ushort(words[i])));
  return r;
#endif
}
ASSAY_INLINE eight_words narrow_to_halves(eight x) {
#ifdef __F16C__
  return (eight_words)__builtin_ia32_vcvtps2ph256(x, 0);  // to nearest even
#else
  eight_words r;
  for (int i = 0; i < 8; ++i) r[i] = bits_as<ushort>(half(x[i]));
  return r;
#endif
}
ASSAY_INLINE eight_words narrow_to_bfloats(eight x) {
  const eight_bits bits = (eight_bits)x;
  const eight_bits nearest = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  const eight_bits quiet = (bits >> 16) | 0x40;
  return __builtin_convertvector(x == x ? nearest : quiet, eight_words);
}

/// Eight elements at `from`, which need no alignment beyond their own, as floats.
template <class T>
ASSAY_INLINE eight load_eight(const T* from) {
  if constexpr (is_same_v<T, half>) {
    return widen_halves((eight_words) * reinterpret_cast<const eight_words_in_memory*>(from));
  } else if constexpr (is_same_v<T, bfloat>) {
    const eight_words words = (eight_words) * reinterpret_cast<const eight_words_in_memory*>(from);
    return (eight)(__builtin_convertvector(words, eight_bits) << 16);
  } else {
    static_assert(is_same_v<T, float>, "simdgroup matrices are of half, bfloat or float");
    return (eight) * reinterpret_cast<const eight_in_memory*>(from);
  }
}
template <class T>
ASSAY_INLINE void store_eight(T* to, eight x) {
  if constexpr (is_same_v<T, half>) {
    *reinterpret_cast<eight_words_in_memory*>(to) = narrow_to_halves(x);
  } else if constexpr (is_same_v<T, bfloat>) {
    *reinterpret_cast<eight_words_in_memory*>(to) = narrow_to_bfloats(x);
  } else {
    *reinterpret_cast<eight_in_memory*>(to) = x;
  }
}
/// Each element rounded to T.
template <class T>
ASSAY_INLINE eight round_eight(eight x) {
  if constexpr (is_same_v<T, half>) {
    return widen_halves(narrow_to_halves(x));
  } else if constexpr (is_same_v<T, bfloat>) {
    return (eight)(__builtin_convertvector(narrow_to_bfloats(x), eight_bits) << 16);
  } else {
    return x;
  }
}
/// Operands or results that are halves, flushed where they are.
template <bool flush>
ASSAY_INLINE eight flushed_halves(eight x) {
  if constexpr (!flush) return x;
  const eight_bits bits = (eight_bits)x, magnitude = bits & 0x7FFFFFFF;
  return (eight)(magnitude < 0x38800000 ? bits & 0x80000000 : bits);  // 2^-14
}
/// sum + a * b. Where the products are exact, one rounding or two are the same, and the fused form is faster.
template <bool exact_products>
ASSAY_INLINE eight multiply_add_eight(float a, eight b, eight sum) {
#ifdef __FMA__
  if constexpr (exact_products) {
    return __builtin_ia32_vfmaddps256(eight{a, a, a, a, a, a, a, a}, b, sum);
  }
#endif
  return sum + a * b;
}

/// 8x8 transpose in three rounds of exchanges of 1, 2 and 4 columns.
ASSAY_INLINE void transpose_eights(eight (&row)[8]) {
#pragma GCC unroll 8
  for (int i = 0; i < 8; i += 2) {
    const eight a = row[i], b = row[i + 1];
    row[i] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
    row[i + 1] = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  }
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    if (i & 2) continue;
    const eight a = row[i], b = row[i + 2];
    row[i] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
    row[i + 2] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
  }
#pragma GCC unroll 8
  for (int i = 0; i < 4; ++i) {
    const eight a = row[i], b = row[i + 4];
    row[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
    row[i + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

}  // namespace assay_msl
