// half and bfloat, and the conversions to them.
#pragma once
#include "assay/half_from_double.h"
#include "assay/runtime.h"

#define ASSAY_INLINE inline __attribute__((always_inline))
/// Code whose memory accesses are announced by other means, or touch simulator memory only.
#define ASSAY_UNINSTRUMENTED __attribute__((noinline, visibility("hidden"), disable_sanitizer_instrumentation))

/// IEEE binary16. Every operation on it rounds once (float has more than 2 * 11 + 2 bits of precision).
typedef _Float16 half;

namespace assay_msl {
/// The reading of one object's bytes as another type of the same size.
template <class To, class From>
ASSAY_INLINE constexpr To bits_as(const From& from) {
  return __builtin_bit_cast(To, from);
}

/// The assignment of a union with vectors (harness/metal/clang/unions.hpp).
template <class T>
ASSAY_INLINE void copy_object(T* to, const T* from) {
  __builtin_memcpy((void*)to, from, sizeof(T));
}
}  // namespace assay_msl

#if defined(__F16C__) || defined(__AVX512FP16__)
/// Compilers convert double to half by this routine of their library: take its place.
extern "C" __attribute__((used, weak, visibility("hidden"))) half __truncdfhf2(double x) {
  return assay_msl::half_from_double(x);
}
#endif

#ifdef ASSAY_CONTRACTED
extern "C" {
/// Of the bits of bfloats (assay/arithmetic.h).
uint16_t assay_called_bfloat_sum(uint16_t a, uint16_t b);
uint16_t assay_called_bfloat_difference(uint16_t a, uint16_t b);
uint16_t assay_called_bfloat_product(uint16_t a, uint16_t b);
}
#endif

namespace assay_msl {
template <bool>
struct only_if {};
template <>
struct only_if<true> {
  typedef bool type;
};
/// Which integer a value is, or is converted to where any number would do; nothing if that is none.
#define ASSAY_WHOLE_NUMBER(T) T whole_number(T);
ASSAY_WHOLE_NUMBER(bool)
ASSAY_WHOLE_NUMBER(char)
ASSAY_WHOLE_NUMBER(uchar)
ASSAY_WHOLE_NUMBER(short)
ASSAY_WHOLE_NUMBER(ushort)
ASSAY_WHOLE_NUMBER(int)
ASSAY_WHOLE_NUMBER(uint)
ASSAY_WHOLE_NUMBER(long)
ASSAY_WHOLE_NUMBER(ulong)
#undef ASSAY_WHOLE_NUMBER
void whole_number(half);
void whole_number(float);
template <class C>
using whole_number_t = decltype(whole_number(*(const C*)nullptr));
}  // namespace assay_msl

/// Brain floating point: the upper half of a binary32. Conversions to it round to nearest even. Those from floats and
/// halves have to be asked for.
struct bfloat {
  uint16_t bits;

  bfloat() = default;
  ASSAY_INLINE constexpr explicit bfloat(float x) : bits(rounded(assay_msl::bits_as<uint>(x))) {}
  constexpr explicit bfloat(half x) : bfloat(float(x)) {}
  constexpr explicit bfloat(double x) : bfloat(float(x)) {}
  /// From integers, and what is converted to one: a template, so that floats are not. There are no references to void.
  template <class C, typename assay_msl::only_if<!__is_floating_point(C) && !__is_same(C, bfloat)>::type = true,
            class = assay_msl::whole_number_t<C>&>
  constexpr bfloat(const C& x) : bfloat(float(assay_msl::whole_number_t<C>(x))) {}
  ASSAY_INLINE constexpr operator float() const { return assay_msl::bits_as<float>(uint(bits) << 16); }

  static ASSAY_INLINE constexpr uint16_t rounded(uint x) {
    if ((x & 0x7FFFFFFF) > 0x7F800000) return uint16_t((x >> 16) | 0x40);
    return uint16_t((x + 0x7FFF + ((x >> 16) & 1)) >> 16);
  }
  constexpr bfloat operator-() const { return bfloat(-float(*this)); }
  bfloat& operator++() { return *this = bfloat(float(*this) + 1); }
  bfloat& operator--() { return *this = bfloat(float(*this) - 1); }
#define ASSAY_BFLOAT_OPERATOR(op)                                                                  \
  friend constexpr bfloat operator op(bfloat a, int b) { return bfloat(float(a) op float(b)); }    \
  friend constexpr bfloat operator op(int a, bfloat b) { return bfloat(float(a) op float(b)); }    \
  friend constexpr bfloat operator op(bfloat a, uint b) { return bfloat(float(a) op float(b)); }   \
  friend constexpr bfloat operator op(uint a, bfloat b) { return bfloat(float(a) op float(b)); }   \
  friend constexpr bfloat operator op(bfloat a, long b) { return bfloat(float(a) op float(b)); }   \
  friend constexpr bfloat operator op(long a, bfloat b) { return bfloat(float(a) op float(b)); }   \
  friend constexpr bfloat operator op(bfloat a, ulong b) { return bfloat(float(a) op float(b)); }  \
  friend constexpr bfloat operator op(ulong a, bfloat b) { return bfloat(float(a) op float(b)); }  \
  template <class A>                                                                               \
  bfloat& operator op##=(const A& b) {                                                             \
    return *this = bfloat(float(*this) op float(b));                                               \
  }
  ASSAY_BFLOAT_OPERATOR(+)
  ASSAY_BFLOAT_OPERATOR(-)
  ASSAY_BFLOAT_OPERATOR(*)
  ASSAY_BFLOAT_OPERATOR(/)
#undef ASSAY_BFLOAT_OPERATOR
#include "metal/mixed_bfloat.h"
// Those that a pass contracts call what it knows.
#ifdef ASSAY_CONTRACTED
#define ASSAY_BFLOAT_ALONE(name, op)                                                            \
  friend ASSAY_INLINE constexpr bfloat operator op(bfloat a, bfloat b) {                        \
    if (__builtin_is_constant_evaluated()) return bfloat(float(a) op float(b));                 \
    return assay_msl::bits_as<bfloat>(uint16_t(assay_called_bfloat_##name(a.bits, b.bits)));    \
  }                                                                                             \
  ASSAY_INLINE bfloat& operator op##=(const bfloat& b) { return *this = *this op b; }
#else
#define ASSAY_BFLOAT_ALONE(name, op) \
  friend constexpr bfloat operator op(bfloat a, bfloat b) { return bfloat(float(a) op float(b)); }
#endif
  ASSAY_BFLOAT_ALONE(sum, +)
  ASSAY_BFLOAT_ALONE(difference, -)
  ASSAY_BFLOAT_ALONE(product, *)
  friend constexpr bfloat operator/(bfloat a, bfloat b) { return bfloat(float(a) / float(b)); }
#undef ASSAY_BFLOAT_ALONE
#define ASSAY_BFLOAT_COMPARISON(op)                                                      \
  friend constexpr bool operator op(bfloat a, bfloat b) { return float(a) op float(b); } \
  friend constexpr bool operator op(bfloat a, float b) { return float(a) op b; }         \
  friend constexpr bool operator op(float a, bfloat b) { return a op float(b); }         \
  friend constexpr bool operator op(bfloat a, int b) { return float(a) op float(b); }    \
  friend constexpr bool operator op(int a, bfloat b) { return float(a) op float(b); }    \
  friend constexpr bool operator op(bfloat a, uint b) { return float(a) op float(b); }   \
  friend constexpr bool operator op(uint a, bfloat b) { return float(a) op float(b); }   \
  friend constexpr bool operator op(bfloat a, long b) { return float(a) op float(b); }   \
  friend constexpr bool operator op(long a, bfloat b) { return float(a) op float(b); }   \
  friend constexpr bool operator op(bfloat a, ulong b) { return float(a) op float(b); }  \
  friend constexpr bool operator op(ulong a, bfloat b) { return float(a) op float(b); }  \
  friend constexpr bool operator op(bfloat a, half b) { return float(a) op float(b); }   \
  friend constexpr bool operator op(half a, bfloat b) { return float(a) op float(b); }
  ASSAY_BFLOAT_COMPARISON(==)
  ASSAY_BFLOAT_COMPARISON(!=)
  ASSAY_BFLOAT_COMPARISON(<)
  ASSAY_BFLOAT_COMPARISON(<=)
  ASSAY_BFLOAT_COMPARISON(>)
  ASSAY_BFLOAT_COMPARISON(>=)
#undef ASSAY_BFLOAT_COMPARISON
};

namespace assay_msl {
/// A branch of `c ? a : b` beside one of another type (harness/metal/clang/conditionals.hpp).
template <class T>
ASSAY_INLINE constexpr T widened(const T& value) {
  return value;
}
ASSAY_INLINE constexpr float widened(half value) { return value; }
#define ASSAY_WIDENED(T) \
  ASSAY_INLINE constexpr bfloat widened(T value) { return bfloat(value); }
ASSAY_WIDENED(bool)
ASSAY_WIDENED(char)
ASSAY_WIDENED(uchar)
ASSAY_WIDENED(short)
ASSAY_WIDENED(ushort)
ASSAY_WIDENED(int)
ASSAY_WIDENED(uint)
ASSAY_WIDENED(long)
ASSAY_WIDENED(ulong)
#undef ASSAY_WIDENED

/// An element of a vector, whatever number it is given as.
struct any_bfloat {
  bfloat value;

  template <class A, typename only_if<__is_constructible(bfloat, A)>::type = true>
  ASSAY_INLINE constexpr any_bfloat(const A& x) : value(x) {}
  ASSAY_INLINE constexpr operator bfloat() const { return value; }
};
template <class T>
struct component_of {
  typedef T type;
};
template <>
struct component_of<bfloat> {
  typedef any_bfloat type;
};
}  // namespace assay_msl
