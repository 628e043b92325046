// assay_msl::vec<T, N>: components, swizzles, constructors and operators of the vector types.
#pragma once
#include "metal/half_vec.h"
#include "metal/inside.h"
#include "metal/swizzle.h"
#include "metal/wide_swizzle.h"

namespace assay_msl {

template <class T, int N, class V = vec<T, N>>
struct packed_vec;

/// The value behind an argument: itself for a scalar, the vector that a packed vector stands for.
template <class A>
struct value_of {
  typedef A type;
  typedef A scalar;
  static constexpr int count = 1;
};
template <class T, int N>
struct value_of<vec<T, N>> {
  typedef vec<T, N> type;
  typedef T scalar;
  static constexpr int count = N;
};
template <class T, int N, class V>
struct value_of<packed_vec<T, N, V>> : value_of<V> {};
template <class A>
using value_t = typename value_of<A>::type;
template <class A>
using scalar_t = typename value_of<A>::scalar;
template <class A>
constexpr bool is_vec_v = (value_of<A>::count > 1);

// Evaluates `expression` for i = 0 ... N-1 and returns the results as an R.
#define ASSAY_EACH(R, expression)                                            \
  R result;                                                                  \
  {                                                                          \
    constexpr int i = 0;                                                     \
    result.s[i] = (expression);                                              \
  }                                                                          \
  {                                                                          \
    constexpr int i = 1;                                                     \
    result.s[i] = (expression);                                              \
  }                                                                          \
  if constexpr (value_of<R>::count > 2) {                                    \
    constexpr int i = 2;                                                     \
    result.s[i] = (expression);                                              \
  }                                                                          \
  if constexpr (value_of<R>::count > 3) {                                    \
    constexpr int i = 3;                                                     \
    result.s[i] = (expression);                                              \
  }                                                                          \
  if constexpr (value_of<R>::count > 4) {                                    \
    for (int i = 4; i < value_of<R>::count; ++i) result.s[i] = (expression); \
  }                                                                          \
  return result

// In a constant expression a vector's components are those with names: what the union holds there.
#define ASSAY_CONSTANT(expression)                                                     \
  if (__builtin_is_constant_evaluated()) {                                             \
    constexpr auto f = [](T p, T q) { return T(expression); };                         \
    if constexpr (N == 2) return {f(a.x, b.x), f(a.y, b.y)};                           \
    if constexpr (N == 3) return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)};              \
    if constexpr (N == 4) return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w)}; \
  }
#define ASSAY_ARITHMETIC(name, op)                                                              \
  static ASSAY_INLINE vec<T, N> name(const vec<T, N>& a, const vec<T, N>& b) {                  \
    typedef vec<T, N> R;                                                                        \
    ASSAY_EACH(R, T(a.s[i] op b.s[i]));                                                         \
  }                                                                                             \
  friend ASSAY_INLINE constexpr vec<T, N> operator op(const vec<T, N>& a, const vec<T, N>& b) { \
    ASSAY_CONSTANT(p op q)                                                                      \
    return name(a, b);                                                                          \
  }                                                                                             \
  friend ASSAY_INLINE vec<T, N>& operator op##=(vec<T, N>& a, const vec<T, N>& b) { return a = a op b; }
// Of the operators that halves have too: each result is rounded once.
#define ASSAY_FLOAT_ARITHMETIC(name, op)                                                        \
  static ASSAY_INLINE vec<T, N> name(const vec<T, N>& a, const vec<T, N>& b) {                  \
    typedef vec<T, N> R;                                                                        \
    if constexpr (is_wide_half<T> && N <= 4) {                                                  \
      R result;                                                                                 \
      narrow(widen(a.s) op widen(b.s), result.s);                                               \
      return result;                                                                            \
    } else {                                                                                    \
      ASSAY_EACH(R, T(a.s[i] op b.s[i]));                                                       \
    }                                                                                           \
  }                                                                                             \
  friend ASSAY_INLINE constexpr vec<T, N> operator op(const vec<T, N>& a, const vec<T, N>& b) { \
    ASSAY_CONSTANT(p op q)                                                                      \
    return name(a, b);                                                                          \
  }                                                                                             \
  friend ASSAY_INLINE vec<T, N>& operator op##=(vec<T, N>& a, const vec<T, N>& b) { return a = a op b; }
/// The number of bits that an element of a vector is shifted by, which is less than its own.
template <class T>
ASSAY_INLINE T shift_count(T count) {
  constexpr ulong bits = 8 * sizeof(T);
  if (__builtin_expect(ulong(make_unsigned_t<T>(count)) >= bits, false)) {
#ifdef ASSAY_CHECKED
    assay_undefined_shift_of(ulong(count), uint(bits), assay_here());
#else
    __builtin_trap();
#endif
  }
  return count & T(bits - 1);
}
/// A vector of N integers of another type than T.
template <class A, class T, int N>
constexpr bool is_count = value_of<A>::count == N && is_integral_v<scalar_t<A>> && !is_same_v<scalar_t<A>, T>;
#define ASSAY_SHIFT(op)                                                               \
  friend ASSAY_INLINE vec<T, N> operator op(const vec<T, N>& a, const vec<T, N>& b) { \
    typedef vec<T, N> R;                                                              \
    ASSAY_EACH(R, T(a.s[i] op shift_count(b.s[i])));                       \
  }                                                                                   \
  friend ASSAY_INLINE vec<T, N>& operator op##=(vec<T, N>& a, const vec<T, N>& b) { return a = a op b; } \
  /* Counts may be integers of another type. */                                      \
  template <class A, class = enable_if_t<is_count<A, T, N>>>                          \
  friend ASSAY_INLINE vec<T, N> operator op(const vec<T, N>& a, const A& b) {         \
    return a op vec<T, N>(value_t<A>(b));                                             \
  }                                                                                   \
  template <class A, class = enable_if_t<is_count<A, T, N>>>                          \
  friend ASSAY_INLINE vec<T, N>& operator op##=(vec<T, N>& a, const A& b) {           \
    return a = a op vec<T, N>(value_t<A>(b));                                         \
  }
#define ASSAY_COMPARISON(op)                                                             \
  friend ASSAY_INLINE vec<bool, N> operator op(const vec<T, N>& a, const vec<T, N>& b) { \
    typedef vec<bool, N> R;                                                              \
    ASSAY_EACH(R, bool(a.s[i] op b.s[i]));                                               \
  }

/// Operators as friends of a base, found by the argument's type alone and open to conversions of either side:
/// scalars are splat, packed vectors read.
template <class T, int N>
struct vec_operators {
  ASSAY_FLOAT_ARITHMETIC(assay_sum, +)
  ASSAY_FLOAT_ARITHMETIC(assay_difference, -)
  ASSAY_FLOAT_ARITHMETIC(assay_product, *)
  ASSAY_FLOAT_ARITHMETIC(assay_quotient, /)
  ASSAY_ARITHMETIC(assay_remainder, %)
  ASSAY_ARITHMETIC(assay_and, &)
  ASSAY_ARITHMETIC(assay_or, |)
  ASSAY_ARITHMETIC(assay_xor, ^)
  ASSAY_SHIFT(<<)
  ASSAY_SHIFT(>>)
  ASSAY_COMPARISON(==)
  ASSAY_COMPARISON(!=)
  ASSAY_COMPARISON(<)
  ASSAY_COMPARISON(<=)
  ASSAY_COMPARISON(>)
  ASSAY_COMPARISON(>=)
  ASSAY_COMPARISON(&&)
  ASSAY_COMPARISON(||)
  friend ASSAY_INLINE vec<T, N> operator+(const vec<T, N>& a) { return a; }
  static ASSAY_INLINE vec<T, N> assay_negative(const vec<T, N>& a) {
    typedef vec<T, N> R;
    ASSAY_EACH(R, T(-a.s[i]));
  }
  friend ASSAY_INLINE constexpr vec<T, N> operator-(const vec<T, N>& a) {
    const vec<T, N>& b = a;
    ASSAY_CONSTANT((void(q), -p))
    return assay_negative(a);
  }
  friend ASSAY_INLINE vec<T, N> operator~(const vec<T, N>& a) {
    typedef vec<T, N> R;
    ASSAY_EACH(R, T(~a.s[i]));
  }
  friend ASSAY_INLINE vec<bool, N> operator!(const vec<T, N>& a) {
    typedef vec<bool, N> R;
    ASSAY_EACH(R, !a.s[i]);
  }
  friend ASSAY_INLINE vec<T, N>& operator++(vec<T, N>& a) { return a = a + vec<T, N>(T(1)); }
  friend ASSAY_INLINE vec<T, N>& operator--(vec<T, N>& a) { return a = a - vec<T, N>(T(1)); }
  friend ASSAY_INLINE vec<T, N> operator++(vec<T, N>& a, int) {
    const vec<T, N> old(a);
    ++a;
    return old;
  }
  friend ASSAY_INLINE vec<T, N> operator--(vec<T, N>& a, int) {
    const vec<T, N> old(a);
    --a;
    return old;
  }
};

// Operands that Metal does not convert.
#define ASSAY_DELETED delete("metal: a floating-point number beside a vector of integers, which it is not converted to")
#define ASSAY_NO_FLOAT(op)                                                                      \
  template <class T, int N, class U, class = enable_if_t<scalar_kind<U> == 3 && is_whole_v<T>>> \
  void operator op(const vec<T, N>& a, U b) = ASSAY_DELETED;                                    \
  template <class T, int N, class U, class = enable_if_t<scalar_kind<U> == 3 && is_whole_v<T>>> \
  void operator op(U a, const vec<T, N>& b) = ASSAY_DELETED;
#define ASSAY_NO_FLOAT_TO(op)                                                                   \
  ASSAY_NO_FLOAT(op)                                                                            \
  template <class T, int N, class U, class = enable_if_t<scalar_kind<U> == 3 && is_whole_v<T>>> \
  void operator op##=(vec<T, N>& a, U b) = ASSAY_DELETED;
template <class T>
constexpr bool is_whole_v = scalar_kind<T> == 1 || scalar_kind<T> == 2;
ASSAY_NO_FLOAT_TO(+)
ASSAY_NO_FLOAT_TO(-)
ASSAY_NO_FLOAT_TO(*)
ASSAY_NO_FLOAT_TO(/)
ASSAY_NO_FLOAT(==)
ASSAY_NO_FLOAT(!=)
ASSAY_NO_FLOAT(<)
ASSAY_NO_FLOAT(<=)
ASSAY_NO_FLOAT(>)
ASSAY_NO_FLOAT(>=)
#undef ASSAY_DELETED
#undef ASSAY_NO_FLOAT
#undef ASSAY_NO_FLOAT_TO
#undef ASSAY_CONSTANT
#undef ASSAY_ARITHMETIC
#undef ASSAY_FLOAT_ARITHMETIC
#undef ASSAY_SHIFT
#undef ASSAY_COMPARISON

#if defined(ASSAY_REASSOCIATED) || defined(ASSAY_CONTRACTED)
constexpr bool kElementwise = true;
#else
constexpr bool kElementwise = false;
#endif
// In checked mode one access of the whole, which is what the text says, where an access may be as large
// (harness/metal/ir/watch.hpp). Else whatever optimizes best. To be contracted or reassociated, elements must
// not hide in words.
template <int bytes>
constexpr bool announced_v = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
#ifdef ASSAY_CHECKED
#define ASSAY_WHOLE(N) announced_v<sizeof(T) * N>
#else
#define ASSAY_WHOLE(N) N == 2 && !kElementwise
#endif
#define ASSAY_COPY(N, to, from)                                                \
  if constexpr (ASSAY_WHOLE(N)) {                                              \
    __builtin_memcpy(to, from, sizeof to);                                     \
  } else {                                                                     \
    to[0] = from[0], to[1] = from[1], to[N > 2 ? 2 : 0] = from[N > 2 ? 2 : 0]; \
    if constexpr (N > 3) to[N > 3 ? 3 : 0] = from[N > 3 ? 3 : 0];              \
    for (int k = 4; k < N; ++k) to[k] = from[k];                               \
  }

// What the vectors of every length have alike. The assignment is written out for what it accesses, and takes no
// temporary: what is given to a swizzle of a swizzle would be lost there.
#define ASSAY_VEC_MEMBERS(N)                                                 \
  typedef T value_type;                                                      \
  typedef typename component_of<T>::type element;                            \
  vec() = default;                                                           \
  template <class U>                                                         \
  ASSAY_INLINE explicit vec(const vec<U, N>& v) {                            \
    *this = converted(v);                                                    \
  }                                                                          \
  template <class U, class = enable_if_t<!is_same_v<U, T>>>                  \
  ASSAY_INLINE explicit vec(const packed_vec<U, N>& v) {                     \
    *this = converted(v.operator vec<U, N>());                               \
  }                                                                          \
  template <class U>                                                         \
  static ASSAY_INLINE vec converted(const vec<U, N>& v) {                    \
    if constexpr (is_wide_half<U> && is_same_v<T, float> && N <= 4) {        \
      vec result;                                                            \
      scatter_floats(widen(v.s), result.s);                                  \
      return result;                                                         \
    } else if constexpr (is_wide_half<T> && is_same_v<U, float> && N <= 4) { \
      vec result;                                                            \
      narrow(gather_floats(v.s), result.s);                                  \
      return result;                                                         \
    } else {                                                                 \
      ASSAY_EACH(vec, convert<T>(v.s[i]));                                   \
    }                                                                        \
  }                                                                          \
  ASSAY_INLINE vec& operator=(const vec& v) & {                              \
    ASSAY_COPY(N, s, v.s)                                                    \
    return *this;                                                            \
  }                                                                          \
  /* Templates: a copy constructor of their own would pass vectors by way of memory. */ \
  template <int M, class = enable_if_t<M == N>>                              \
  ASSAY_INLINE vec(const volatile vec<T, M>& v) {                            \
    for (int k = 0; k < N; ++k) s[k] = v.s[k];                               \
  }                                                                          \
  template <int M, class = enable_if_t<M == N>>                              \
  ASSAY_INLINE void operator=(const vec<T, M>& v) volatile& {                \
    for (int k = 0; k < N; ++k) s[k] = v.s[k];                               \
  }                                                                          \
  template <class U, class = enable_if_t<scalar_kind<U> != 0>>               \
  ASSAY_INLINE constexpr vec(U all) : vec(convert<T>(all)) {}                \
  template <class I>                                                         \
  ASSAY_INLINE T& operator[](I index) & {                                    \
    return s[ASSAY_INDEX(N, index)];                                         \
  }                                                                          \
  template <class I>                                                         \
  ASSAY_INLINE const T& operator[](I index) const& {                         \
    return s[ASSAY_INDEX(N, index)];                                         \
  }

template <class T, int N>
struct vec {
  static_assert(N < 0,
                "assay: `vec<T, N>`: vectors have 2, 3, 4, 8 or 16 elements; others are not supported");
};
template <class T>
struct alignas(2 * sizeof(T)) vec<T, 2> : vec_operators<T, 2>, swizzles<2> {
  static_assert(scalar_kind<T> != 0, "assay: vectors have elements that are numbers");
  union {
    struct {
      T x, y;
    };
    struct {
      T r, g;
    };
    T s[2];
  };
  ASSAY_VEC_MEMBERS(2)
  vec(const vec&) = default;
  ASSAY_INLINE constexpr vec(T all) : x(all), y(all) {}
  ASSAY_INLINE constexpr vec(element x, element y) : x(x), y(y) {}
};

template <class T>
struct alignas(4 * sizeof(T)) vec<T, 3> : vec_operators<T, 3>, swizzles<3> {
  static_assert(scalar_kind<T> != 0, "assay: vectors have elements that are numbers");
  union {
    struct {
      T x, y, z;
    };
    struct {
      T r, g, b;
    };
    T s[3];
  };
  ASSAY_VEC_MEMBERS(3)
  // Not the fourth, which nobody writes.
  ASSAY_INLINE constexpr vec(const vec& v) : x(v.x), y(v.y), z(v.z) {}
  ASSAY_INLINE constexpr vec(T all) : x(all), y(all), z(all) {}
  ASSAY_INLINE constexpr vec(element x, element y, element z) : x(x), y(y), z(z) {}
  ASSAY_INLINE constexpr vec(T x, T y) : x(x), y(y), z(T(0)) {}  // `= {x, y}`: the others are zero
  ASSAY_INLINE constexpr vec(const vec<T, 2>& xy, element z) : x(xy.x), y(xy.y), z(z) {}
  ASSAY_INLINE constexpr vec(element x, const vec<T, 2>& yz) : x(x), y(yz.x), z(yz.y) {}
};

template <class T>
struct alignas(4 * sizeof(T)) vec<T, 4> : vec_operators<T, 4>, swizzles<4> {
  static_assert(scalar_kind<T> != 0, "assay: vectors have elements that are numbers");
  union {
    struct {
      T x, y, z, w;
    };
    struct {
      T r, g, b, a;
    };
    T s[4];
  };
  ASSAY_VEC_MEMBERS(4)
  vec(const vec&) = default;
  ASSAY_INLINE constexpr vec(T all) : x(all), y(all), z(all), w(all) {}
  ASSAY_INLINE constexpr vec(element x, element y, element z, element w) : x(x), y(y), z(z), w(w) {}
  // `= {x, y, z}` and `= {x, y}`: the others are zero.
  ASSAY_INLINE constexpr vec(T x, T y, T z) : x(x), y(y), z(z), w(T(0)) {}
  ASSAY_INLINE constexpr vec(T x, T y) : x(x), y(y), z(T(0)), w(T(0)) {}
  ASSAY_INLINE constexpr vec(const vec<T, 2>& xy, element z, element w) : x(xy.x), y(xy.y), z(z), w(w) {}
  ASSAY_INLINE constexpr vec(element x, const vec<T, 2>& yz, element w) : x(x), y(yz.x), z(yz.y), w(w) {}
  ASSAY_INLINE constexpr vec(element x, element y, const vec<T, 2>& zw) : x(x), y(y), z(zw.x), w(zw.y) {}
  ASSAY_INLINE constexpr vec(const vec<T, 2>& xy, const vec<T, 2>& zw) : x(xy.x), y(xy.y), z(zw.x), w(zw.y) {}
  ASSAY_INLINE constexpr vec(const vec<T, 3>& xyz, element w) : x(xyz.x), y(xyz.y), z(xyz.z), w(w) {}
  ASSAY_INLINE constexpr vec(element x, const vec<T, 3>& yzw) : x(x), y(yzw.x), z(yzw.y), w(yzw.z) {}
};

// Those that ext_vector_type makes beyond Metal's own. Given one element each, or vectors that make them up.
#define ASSAY_WIDE_MEMBERS(N)                                                                                \
  ASSAY_VEC_MEMBERS(N)                                                                                       \
  vec(const vec&) = default;                                                                                 \
  ASSAY_INLINE vec(T all) {                                                                                  \
    for (int k = 0; k < N; ++k) s[k] = all;                                                                  \
  }                                                                                                          \
  template <class A, class B, class... Rest,                                                                 \
            class =                                                                                          \
                enable_if_t<((value_of<A>::count + value_of<B>::count) + ... + value_of<Rest>::count) == N>> \
  ASSAY_INLINE vec(const A& a, const B& b, const Rest&... rest) {                                            \
    int at = 0;                                                                                              \
    put(at, a), put(at, b);                                                                                  \
    (put(at, rest), ...);                                                                                    \
  }                                                                                                          \
 private:                                                                                                    \
  template <class A>                                                                                         \
  ASSAY_INLINE void put(int& at, const A& a) {                                                               \
    if constexpr (is_vec_v<A>) {                                                                             \
      const value_t<A> v(a);                                                                                 \
      for (int k = 0; k < value_of<A>::count; ++k) s[at++] = convert<T>(v.s[k]);                             \
    } else {                                                                                                 \
      s[at++] = convert<T>(a);                                                                               \
    }                                                                                                        \
  }
template <class T>
struct alignas(8 * sizeof(T)) vec<T, 8> : vec_operators<T, 8>, swizzles<8> {
  static_assert(scalar_kind<T> != 0, "assay: vectors have elements that are numbers");
  union {
    struct {
      T x, y, z, w;
    };
    struct {
      T s0, s1, s2, s3, s4, s5, s6, s7;
    };
    T s[8];
  };
  ASSAY_WIDE_MEMBERS(8)
};
template <class T>
struct alignas(16 * sizeof(T)) vec<T, 16> : vec_operators<T, 16>, swizzles<16> {
  static_assert(scalar_kind<T> != 0, "assay: vectors have elements that are numbers");
  union {
    struct {
      T x, y, z, w;
    };
    struct {
      T s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, sa, sb, sc, sd, se, sf;
    };
    struct {
      T assay_first[10], sA, sB, sC, sD, sE, sF;
    };
    T s[16];
  };
  ASSAY_WIDE_MEMBERS(16)
};
#undef ASSAY_WIDE_MEMBERS
#undef ASSAY_VEC_MEMBERS

/// A copy of an argument that may lie in memory, for functions that are called, as one access.
template <class A>
ASSAY_INLINE value_t<A> own(const A& argument) {
  value_t<A> copy;
  copy = argument;
  return copy;
}

template <class To, class From>
ASSAY_INLINE To bytes_as(const From& argument) {
  From from;
  from = argument;
  To to;
  __builtin_memcpy(static_cast<void*>(&to), static_cast<const void*>(&from), sizeof(To));
  return to;
}
/// The type whose bytes an argument has: of a packed vector its own.
template <class A>
struct stored {
  typedef value_t<A> type;
};
template <class T, int N, class V>
struct stored<packed_vec<T, N, V>> {
  typedef packed_vec<T, N, V> type;
};
/// `as_type<To>(from)`: the same bytes read as a To.
template <class To, class A>
ASSAY_INLINE constexpr To as_type(const A& from) {
  typedef typename stored<A>::type From;
  static_assert(scalar_kind<scalar_t<To>> != 0 && scalar_kind<scalar_t<From>> != 0,
                "assay: as_type is for numbers and vectors");
  static_assert(sizeof(To) == sizeof(From), "as_type needs types of one size");
  if constexpr (scalar_kind<To> != 0 && scalar_kind<From> != 0) {
    return __builtin_bit_cast(To, from);
  } else {
    return bytes_as<To, From>(from);
  }
}

}  // namespace assay_msl
