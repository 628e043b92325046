// <metal_integer>. min, max, abs and clamp are in metal/common.h.
#pragma once
#include "metal/common.h"

namespace assay_msl {

template <class T>
constexpr int width_of = 8 * int(sizeof(T));

ASSAY_ANY1(popcount, integer, return R(__builtin_popcountl(ulong(make_unsigned_t<R>(x))));)
ASSAY_ANY1(clz, integer, const ulong bits = make_unsigned_t<R>(x);
           return R(bits ? __builtin_clzl(bits) - (64 - width_of<R>) : width_of<R>);)
ASSAY_ANY1(ctz, integer, const ulong bits = make_unsigned_t<R>(x);
           return R(bits ? __builtin_ctzl(bits) : width_of<R>);)
ASSAY_ANY1(reverse_bits, integer, ulong bits = __builtin_bswap64(make_unsigned_t<R>(x));
           bits = ((bits >> 4) & 0x0F0F0F0F0F0F0F0F) | ((bits & 0x0F0F0F0F0F0F0F0F) << 4);
           bits = ((bits >> 2) & 0x3333333333333333) | ((bits & 0x3333333333333333) << 2);
           bits = ((bits >> 1) & 0x5555555555555555) | ((bits & 0x5555555555555555) << 1);
           return R(bits >> (64 - width_of<R>));)
/// Left by y modulo the width.
ASSAY_ANY2(rotate, integer, typedef make_unsigned_t<R> U; constexpr uint last = width_of<R> - 1;
           const uint count = uint(y) & last; const U bits = U(x);
           return R(U(bits << count) | U(bits >> (-count & last)));)

// 128-bit integers hold every sum and product of two 64-bit ones, whatever their signs.
typedef __int128 wide;
template <class T>
ASSAY_INLINE constexpr T saturated(wide x) {
  constexpr wide high = (wide(1) << (is_signed_v<T> ? width_of<T> - 1 : width_of<T>)) - 1;
  constexpr wide low = is_signed_v<T> ? -high - 1 : wide(0);
  return T(x < low ? low : x > high ? high : x);
}
/// The product's upper half; an unsigned 64-bit product needs unsigned arithmetic.
template <class T>
ASSAY_INLINE constexpr T upper_product(T x, T y) {
  if constexpr (is_signed_v<T>) {
    return T((wide(x) * wide(y)) >> width_of<T>);
  } else {
    return T(((unsigned __int128)(x) * (unsigned __int128)(y)) >> width_of<T>);
  }
}
ASSAY_ANY2(absdiff, integer, return R(x > y ? make_unsigned_t<R>(x) - make_unsigned_t<R>(y)
                                   : make_unsigned_t<R>(y) - make_unsigned_t<R>(x));)
ASSAY_ANY2(addsat, integer, return saturated<R>(wide(x) + wide(y));)
ASSAY_ANY2(subsat, integer, return saturated<R>(wide(x) - wide(y));)
ASSAY_ANY2(hadd, integer, return R((wide(x) + wide(y)) >> 1);)
ASSAY_ANY2(rhadd, integer, return R((wide(x) + wide(y) + 1) >> 1);)
ASSAY_ANY2(mulhi, integer, return upper_product<R>(x, y);)
ASSAY_ANY3(madhi, integer, return R(upper_product<R>(x, y) + z);)
ASSAY_ANY3(madsat, integer, return saturated<R>(wide(x) * wide(y) + wide(z));)
/// The low 24 bits of each operand multiplied, sign-extended if signed; the low 32 bits of the product.
template <class T>
ASSAY_INLINE constexpr T low_24(T x) {
  return is_signed_v<T> ? T(int(uint(x) << 8) >> 8) : T(uint(x) & 0xFFFFFF);
}
ASSAY_ANY2(mul24, word, return R(uint(low_24(x)) * uint(low_24(y)));)
ASSAY_ANY3(mad24, word, return R(uint(low_24(x)) * uint(low_24(y)) + uint(z));)

/// `bits` bits of x from `offset` up, sign-extended if x is signed.
template <class R>
ASSAY_INLINE constexpr R some_bits(R a, uint offset, uint bits) {
  if (bits == 0) return R(0);
  const long x = long(make_unsigned_t<R>(a) >> offset);
  const uint unused = 64 - bits;
  return is_signed_v<R> ? R(long(ulong(x) << unused) >> unused) : R((ulong(x) << unused) >> unused);
}
#define ASSAY_EXTRACT(T, name) \
  ASSAY_INLINE constexpr T name(T a, uint offset, uint bits) { return some_bits(a, offset, bits); }
ASSAY_OVERLOADS_integer(ASSAY_EXTRACT, extract_bits)
#undef ASSAY_EXTRACT
template <class A, class = others_t<A>, class R = value_t<A>>
ASSAY_INLINE constexpr R extract_bits(const A& a, uint offset, uint bits) {
  if constexpr (is_vec_v<R>) {
    const R v(a);
    ASSAY_EACH(R, extract_bits(v.s[i], offset, bits));
  } else {
    return some_bits(R(a), offset, bits);
  }
}
/// base with `bits` bits from `offset` up replaced by the low ones of insert.
template <class R>
ASSAY_INLINE constexpr R with_bits(R base, R insert, uint offset, uint bits) {
  if (bits == 0) return base;
  const ulong mask = (~0ul >> (64 - bits)) << offset;
  return R((ulong(make_unsigned_t<R>(base)) & ~mask) | ((ulong(make_unsigned_t<R>(insert)) << offset) & mask));
}
#define ASSAY_INSERT(T, name) \
  ASSAY_INLINE constexpr T name(T base, T insert, uint offset, uint bits) {  \
    return with_bits(base, insert, offset, bits);                            \
  }
ASSAY_OVERLOADS_integer(ASSAY_INSERT, insert_bits)
#undef ASSAY_INSERT
template <class A, class B, class = others_t<A, B>, class R = common_t<A, B>>
ASSAY_INLINE constexpr R insert_bits(const A& base, const B& insert, uint offset, uint bits) {
  if constexpr (is_vec_v<R>) {
    const R v = argument<R>(base), u = argument<R>(insert);
    ASSAY_EACH(R, insert_bits(v.s[i], u.s[i], offset, bits));
  } else {
    return with_bits(R(base), R(insert), offset, bits);
  }
}

}  // namespace assay_msl
