// The names of several components of a vector: `v.xyz`, `v.wzyx = u`, `v.xy += 1`, `v.lo.x = 1`.
//
// Each is a property (clang's __declspec(property)): reading it is a call that gives a vector, and assigning to
// it is another call. The functions take the vector itself as a parameter, so that they are declared once, here,
// and not for every type of vectors; those that a text calls are made when it is read.
#pragma once
#include "metal/inside.h"

namespace assay_msl {

template <class T, int N>
struct vec;

/// N components of a V.
template <class V, int N>
using components_t = vec<typename remove_reference_t<V>::value_type, N>;

/// May components be assigned to? Not where two of them are one.
template <int size>
constexpr bool distinct(const int (&component)[size]) {
  for (int i = 0; i < size; ++i)
    for (int k = 0; k < i; ++k)
      if (component[i] == component[k]) return false;
  return true;
}
template <class V, int... I>
struct lost_writes {
  static constexpr int component[] = {I...};
  static_assert(distinct(component), "a swizzle that names a component twice cannot be assigned to");
  static_assert(is_lvalue_reference_v<V>, "a swizzle of a swizzle of components apart cannot be assigned to");
  static_assert(!is_const_v<remove_reference_t<V>>, "a swizzle of a constant cannot be assigned to");
};
/// Assignment to components I of a V would be lost, or is none: said ahead of what else is wrong with it.
#define ASSAY_REFUSE_LOST_WRITES(...) static_assert(sizeof(lost_writes<__VA_ARGS__>) != 0, "");

/// What assignment to components I of a V gives: what they are then. No vector itself, since clang hands on only
/// what can be copied as bytes.
template <class V, int... I>
struct assigned {
  V& v;

  ASSAY_INLINE operator components_t<V, sizeof...(I)>() const { return {v.s[I]...}; }
};
template <class V, int... I>
using assigned_t = assigned<remove_reference_t<V>, I...>;

/// One of the components I, by its place among them.
template <int... I, class V, class Index>
ASSAY_INLINE constexpr typename V::value_type one_of(const V& v, Index index) {
  constexpr int component[] = {I...};
  return v.s[component[ASSAY_INDEX(sizeof...(I), index)]];
}
template <int... I, class V, class Index, class T>
ASSAY_INLINE T set_one_of(V& v, Index index, T value) {
  constexpr int component[] = {I...};
  return v.s[component[ASSAY_INDEX(sizeof...(I), index)]] = value;
}

/// A property of those components that is read by assay_NAME() and assigned to by assay_set_NAME(): these two for
/// one of them, as in `v.xz[i] = 1`. For all of them each word has its own.
#define ASSAY_PROPERTY(name, names, ...)                                                             \
  template <class V, class Index>                                                                    \
  ASSAY_INLINE constexpr typename V::value_type assay_##name(this const V& v, Index index) {         \
    return one_of<__VA_ARGS__>(v, index);                                                            \
  }                                                                                                  \
  template <class V, class Index>                                                                    \
  ASSAY_INLINE auto assay_set_##name(this V&& v, Index index,                                        \
                                     typename remove_reference_t<V>::value_type value) {             \
    ASSAY_REFUSE_LOST_WRITES(V, __VA_ARGS__)                                                         \
    return set_one_of<__VA_ARGS__>(v, index, value);                                                 \
  }                                                                                                  \
  ASSAY_ALSO(name, ASSAY_NAMES names)
/// More names of the same.
#define ASSAY_ALSO(name, ...) __declspec(property(get = assay_##name, put = assay_set_##name)) int __VA_ARGS__;
#define ASSAY_NAMES(...) __VA_ARGS__

/// Components that lie side by side where a vector of theirs may lie, as that vector: more than read and
/// assigned to as a whole, it can be changed in parts. A temporary gives a copy instead.
#define ASSAY_PART(reads, N, first)                                                                     \
  template <class V, class = enable_if_t<!is_const_v<V> && (alignof(V) >= alignof(components_t<V, N>))>> \
  ASSAY_INLINE components_t<V, N>& reads(this V& v) {                                                   \
    return *reinterpret_cast<components_t<V, N>*>(v.s + first);                                         \
  }

}  // namespace assay_msl

#include "metal/swizzle_words.h"

namespace assay_msl {

template <int n>
struct swizzles;
template <>
struct swizzles<2> {
  ASSAY_COMPONENTS_2
  ASSAY_SWIZZLES_2
};
template <>
struct swizzles<3> {
  ASSAY_COMPONENTS_3
  ASSAY_SWIZZLES_3
  ASSAY_PART(assay_xy, 2, 0)
};
template <>
struct swizzles<4> {
  ASSAY_COMPONENTS_4
  ASSAY_SWIZZLES_4
  ASSAY_PART(assay_xy, 2, 0)
  ASSAY_PART(assay_zw, 2, 2)
  ASSAY_ALSO(xy, lo[])
  ASSAY_ALSO(zw, hi[])
  ASSAY_ALSO(xz, even[])
  ASSAY_ALSO(yw, odd[])
};

}  // namespace assay_msl
