// metal::packed_vec<T, N>: packed_float3 and the like.
#pragma once
#include "metal/vec.h"

namespace assay_msl {

/// Vectors aligned as their elements are; arithmetic goes by way of vec.
#define ASSAY_PACKED_MEMBERS(N)                                                          \
  typedef T value_type;                                                                  \
  packed_vec() = default;                                                                \
  packed_vec(const packed_vec&) = default;                                               \
  ASSAY_INLINE constexpr packed_vec(T all) : packed_vec(V(all)) {}                       \
  template <class U>                                                                     \
  ASSAY_INLINE explicit packed_vec(const vec<U, N>& v) : packed_vec(V(v)) {}             \
  template <class U, class = enable_if_t<!is_same_v<U, T>>>                              \
  ASSAY_INLINE explicit packed_vec(const packed_vec<U, N>& v)                            \
      : packed_vec(V(v.operator vec<U, N>())) {}                                         \
  template <class A, class B, class... Rest>                                             \
  ASSAY_INLINE constexpr packed_vec(const A& a, const B& b, const Rest&... rest)         \
      : packed_vec(V(a, b, rest...)) {}                                                  \
  ASSAY_INLINE packed_vec& operator=(const packed_vec& v) & {                            \
    ASSAY_COPY(N, s, v.s)                                                                \
    return *this;                                                                        \
  }                                                                                      \
  ASSAY_INLINE operator V() const {                                                      \
    V v;                                                                                 \
    ASSAY_COPY(N, v.s, s)                                                                \
    return v;                                                                            \
  }                                                                                      \
  template <class I>                                                                     \
  ASSAY_INLINE T& operator[](I index) & {                                                \
    return s[ASSAY_INDEX(N, index)];                                                     \
  }                                                                                      \
  template <class I>                                                                     \
  ASSAY_INLINE const T& operator[](I index) const& {                                     \
    return s[ASSAY_INDEX(N, index)];                                                     \
  }
template <class T, class V>
struct packed_vec<T, 2, V> : swizzles<2> {
  union {
    struct {
      T x, y;
    };
    struct {
      T r, g;
    };
    T s[2];
  };
  ASSAY_PACKED_MEMBERS(2)
  ASSAY_INLINE constexpr packed_vec(const V& v) : x(v.x), y(v.y) {}
};
template <class T, class V>
struct packed_vec<T, 3, V> : swizzles<3> {
  union {
    struct {
      T x, y, z;
    };
    struct {
      T r, g, b;
    };
    T s[3];
  };
  ASSAY_PACKED_MEMBERS(3)
  ASSAY_INLINE constexpr packed_vec(const V& v) : x(v.x), y(v.y), z(v.z) {}
};
template <class T, class V>
struct packed_vec<T, 4, V> : swizzles<4> {
  union {
    struct {
      T x, y, z, w;
    };
    struct {
      T r, g, b, a;
    };
    T s[4];
  };
  ASSAY_PACKED_MEMBERS(4)
  ASSAY_INLINE constexpr packed_vec(const V& v) : x(v.x), y(v.y), z(v.z), w(v.w) {}
};
#undef ASSAY_PACKED_MEMBERS
#define ASSAY_PACKED_COMPOUND(op)                                                        \
  template <class T, int N, class V, class B>                                            \
  ASSAY_INLINE packed_vec<T, N, V>& operator op##=(packed_vec<T, N, V>& a, const B& b) { \
    return a = packed_vec<T, N, V>(V(a) op b);                                           \
  }
ASSAY_PACKED_COMPOUND(+)
ASSAY_PACKED_COMPOUND(-)
ASSAY_PACKED_COMPOUND(*)
ASSAY_PACKED_COMPOUND(/)
#undef ASSAY_PACKED_COMPOUND

}  // namespace assay_msl
