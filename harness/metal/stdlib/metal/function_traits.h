// How the function templates of the library choose their result types, and apply themselves to vectors.
#pragma once
#include "metal/vec.h"

namespace assay_msl {

/// The type a function of floating-point numbers computes in for an argument: itself if it is one, else
/// float. No type for what is neither a scalar nor a vector, so that other people's overloads are theirs
/// alone.
template <class A, int kind = scalar_kind<A>>
struct floating {
  typedef float type;
};
template <>
struct floating<half, 3> {
  typedef half type;
};
template <>
struct floating<bfloat, 3> {
  typedef bfloat type;
};
template <class A>
struct floating<A, 0> {};
template <class T, int N>
struct floating<vec<T, N>, 0> {
  typedef vec<typename floating<T>::type, N> type;
};
template <class T, int N, class V>
struct floating<packed_vec<T, N, V>, 0> : floating<V> {};
template <class A>
using floating_t = typename floating<A>::type;

/// The type of a function of several arguments that are of one type in Metal: the vector if one is, else what
/// the built-in operators convert to (char and short stay what they are).
template <class A, class B, bool = scalar_kind<A> != 0 && scalar_kind<B> != 0>
struct common {};
template <class A, class B>
struct common<A, B, true> {
  typedef decltype(false ? A() : B()) type;
};
template <class B>
struct common<bfloat, B, true> {
  typedef conditional_t<is_integral_v<B>, bfloat, float> type;
};
template <class A>
struct common<A, bfloat, true> : common<bfloat, A> {};
template <>
struct common<bfloat, bfloat, true> {
  typedef bfloat type;
};
template <class T, int N, class B>
struct common<vec<T, N>, B, false> {
  typedef enable_if_t<scalar_kind<B> != 0, vec<T, N>> type;
};
template <class A, class T, int N>
struct common<A, vec<T, N>, false> {
  typedef enable_if_t<scalar_kind<A> != 0, vec<T, N>> type;
};
template <class T, int N>
struct common<vec<T, N>, vec<T, N>, false> {
  typedef vec<T, N> type;
};
template <class A, class B>
using common_t = typename common<value_t<A>, value_t<B>>::type;
template <class A, class B, class C>
using common3_t = common_t<common_t<A, B>, C>;

/// An argument as the type its function computes in: scalars are converted or splat.
template <class R, class A>
ASSAY_INLINE constexpr R argument(const A& a) {
  if constexpr (is_vec_v<R>) {
    return R(a);
  } else {
    return convert<R>(a);
  }
}

/// Metal's functions of scalars are sets of overloads, one for each type, so that a call with arguments of several
/// types is ambiguous where C++ finds it so: `max(1.0f, 2)`, `exp(0)`. These are the types that have overloads.
template <class A>
constexpr bool is_overloaded = scalar_kind<A> != 0 && !is_same_v<A, bfloat> && !is_same_v<A, double> &&
                               !is_same_v<A, long long> && !is_same_v<A, unsigned long long>;
/// For the templates beside them: of vectors, of bfloats, and of what is neither.
template <class... A>
using others_t = enable_if_t<!(is_overloaded<A> && ...)>;

// M(T, ...) for each type of a set of overloads.
#define ASSAY_OVERLOADS_float(M, ...) M(float, __VA_ARGS__) M(half, __VA_ARGS__)
#define ASSAY_OVERLOADS_word(M, ...) M(int, __VA_ARGS__) M(uint, __VA_ARGS__)
#define ASSAY_OVERLOADS_integer(M, ...)                                                          \
  M(char, __VA_ARGS__)                                                                           \
  M(uchar, __VA_ARGS__)                                                                          \
  M(short, __VA_ARGS__)                                                                          \
  M(ushort, __VA_ARGS__) M(int, __VA_ARGS__) M(uint, __VA_ARGS__) M(long, __VA_ARGS__) M(ulong, __VA_ARGS__)
#define ASSAY_OVERLOADS_number(M, ...) \
  ASSAY_OVERLOADS_float(M, __VA_ARGS__) ASSAY_OVERLOADS_integer(M, __VA_ARGS__)

/// For each function of one argument of floating-point type. `expression` is of a float x; its value is
/// rounded once to the argument's type. Arguments and results are flushed as those of operators.
#define ASSAY_FLOAT1(name, expression) ASSAY_FUNCTION1(name, operand_of<R>, flushed(R(expression)))
#define ASSAY_FLOAT_OVERLOAD1(T, name, operand, result) \
  ASSAY_INLINE constexpr T name(T a) {                  \
    typedef T R;                                        \
    const float x = operand(a);                         \
    return result;                                      \
  }
#define ASSAY_FUNCTION1(name, operand, result)                           \
  ASSAY_OVERLOADS_float(ASSAY_FLOAT_OVERLOAD1, name, operand, result)    \
  template <class A, class = others_t<A>, class R = floating_t<A>>       \
  ASSAY_INLINE constexpr R name(const A& a) {                            \
    if constexpr (is_vec_v<R>) {                                         \
      const R v = argument<R>(a);                                        \
      ASSAY_EACH(R, name(v.s[i]));                                       \
    } else {                                                             \
      const float x = operand(a);                                        \
      return result;                                                     \
    }                                                                    \
  }
/// The same of two, x and y, and three, x, y and z.
#define ASSAY_FLOAT2(name, expression) ASSAY_FUNCTION2(name, operand_of<R>, flushed(R(expression)))
#define ASSAY_FLOAT_OVERLOAD2(T, name, operand, result) \
  ASSAY_INLINE constexpr T name(T a, T b) {             \
    typedef T R;                                        \
    const float x = operand(a), y = operand(b);         \
    return result;                                      \
  }
#define ASSAY_FUNCTION2(name, operand, result)                                              \
  ASSAY_OVERLOADS_float(ASSAY_FLOAT_OVERLOAD2, name, operand, result)                       \
  template <class A, class B, class = others_t<A, B>, class R = floating_t<common_t<A, B>>> \
  ASSAY_INLINE constexpr R name(const A& a, const B& b) {                                   \
    if constexpr (is_vec_v<R>) {                                                            \
      const R v = argument<R>(a), u = argument<R>(b);                                       \
      ASSAY_EACH(R, name(v.s[i], u.s[i]));                                                  \
    } else {                                                                                \
      const float x = operand(a), y = operand(b);                                           \
      return result;                                                                        \
    }                                                                                       \
  }
#define ASSAY_FLOAT_OVERLOAD3(T, name, expression)                                \
  ASSAY_INLINE constexpr T name(T a, T b, T c) {                                  \
    typedef T R;                                                                  \
    const float x = operand_of<R>(a), y = operand_of<R>(b), z = operand_of<R>(c); \
    return flushed(R(expression));                                                \
  }
#define ASSAY_FLOAT3(name, expression)                                                                         \
  ASSAY_OVERLOADS_float(ASSAY_FLOAT_OVERLOAD3, name, expression)                                               \
  template <class A, class B, class C, class = others_t<A, B, C>, class R = floating_t<common3_t<A, B, C>>>    \
  ASSAY_INLINE constexpr R name(const A& a, const B& b, const C& c) {                                          \
    if constexpr (is_vec_v<R>) {                                                                               \
      const R v = argument<R>(a), u = argument<R>(b), t = argument<R>(c);                                      \
      ASSAY_EACH(R, name(v.s[i], u.s[i], t.s[i]));                                                             \
    } else {                                                                                                   \
      const float x = operand_of<R>(a), y = operand_of<R>(b), z = operand_of<R>(c);                            \
      return flushed(R(expression));                                                                           \
    }                                                                                                          \
  }
/// Functions of numbers of a set, computed in the arguments' type R: of x, of x and y, of x, y and z.
#define ASSAY_OVERLOAD1(T, name, ...)  \
  ASSAY_INLINE constexpr T name(T x) { \
    typedef T R;                       \
    __VA_ARGS__                        \
  }
#define ASSAY_ANY1(name, set, ...)                                                                                  \
  ASSAY_OVERLOADS_##set(ASSAY_OVERLOAD1, name, __VA_ARGS__)                                                         \
  template <class A, class = others_t<A>, class R = value_t<A>, class = enable_if_t<scalar_kind<scalar_t<A>> != 0>> \
  ASSAY_INLINE constexpr R name(const A& a) {                                                                       \
    if constexpr (is_vec_v<R>) {                                                                                    \
      const R v(a);                                                                                                 \
      ASSAY_EACH(R, name(v.s[i]));                                                                                  \
    } else {                                                                                                        \
      const R x(a);                                                                                                 \
      __VA_ARGS__                                                                                                   \
    }                                                                                                               \
  }
#define ASSAY_OVERLOAD2(T, name, ...)       \
  ASSAY_INLINE constexpr T name(T x, T y) { \
    typedef T R;                            \
    __VA_ARGS__                             \
  }
#define ASSAY_ANY2(name, set, ...)                                              \
  ASSAY_OVERLOADS_##set(ASSAY_OVERLOAD2, name, __VA_ARGS__)                     \
  template <class A, class B, class = others_t<A, B>, class R = common_t<A, B>> \
  ASSAY_INLINE constexpr R name(const A& a, const B& b) {                       \
    if constexpr (is_vec_v<R>) {                                                \
      const R v = argument<R>(a), u = argument<R>(b);                           \
      ASSAY_EACH(R, name(v.s[i], u.s[i]));                                      \
    } else {                                                                    \
      const R x = convert<R>(a), y = convert<R>(b);                             \
      __VA_ARGS__                                                               \
    }                                                                           \
  }
#define ASSAY_OVERLOAD3(T, name, ...)            \
  ASSAY_INLINE constexpr T name(T x, T y, T z) { \
    typedef T R;                                 \
    __VA_ARGS__                                  \
  }
#define ASSAY_ANY3(name, set, ...)                                                              \
  ASSAY_OVERLOADS_##set(ASSAY_OVERLOAD3, name, __VA_ARGS__)                                     \
  template <class A, class B, class C, class = others_t<A, B, C>, class R = common3_t<A, B, C>> \
  ASSAY_INLINE constexpr R name(const A& a, const B& b, const C& c) {                           \
    if constexpr (is_vec_v<R>) {                                                                \
      const R v = argument<R>(a), u = argument<R>(b), t = argument<R>(c);                       \
      ASSAY_EACH(R, name(v.s[i], u.s[i], t.s[i]));                                              \
    } else {                                                                                    \
      const R x = convert<R>(a), y = convert<R>(b), z = convert<R>(c);                          \
      __VA_ARGS__                                                                               \
    }                                                                                           \
  }

}  // namespace assay_msl
