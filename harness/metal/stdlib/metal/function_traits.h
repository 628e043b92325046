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

/// For each function of one argument of floating-point type. `expression` is of a float x; its value is
/// rounded once to the argument's type. Arguments and results are flushed as those of operators.
#define ASSAY_FLOAT1(name, expression) ASSAY_FUNCTION1(name, operand_of<R>, flushed(R(expression)))
#define ASSAY_FUNCTION1(name, operand, result) \
  template <class A, class R = floating_t<A>>  \
  ASSAY_INLINE constexpr R name(const A& a) {  \
    if constexpr (is_vec_v<R>) {               \
      const R v = argument<R>(a);              \
      ASSAY_EACH(R, name(v.s[i]));             \
    } else {                                   \
      const float x = operand(a);              \
      return result;                           \
    }                                          \
  }
/// The same of two, x and y, and three, x, y and z.
#define ASSAY_FLOAT2(name, expression) ASSAY_FUNCTION2(name, operand_of<R>, flushed(R(expression)))
#define ASSAY_FUNCTION2(name, operand, result)                      \
  template <class A, class B, class R = floating_t<common_t<A, B>>> \
  ASSAY_INLINE constexpr R name(const A& a, const B& b) {           \
    if constexpr (is_vec_v<R>) {                                    \
      const R v = argument<R>(a), u = argument<R>(b);               \
      ASSAY_EACH(R, name(v.s[i], u.s[i]));                          \
    } else {                                                        \
      const float x = operand(a), y = operand(b);                   \
      return result;                                                \
    }                                                               \
  }
#define ASSAY_FLOAT3(name, expression)                                              \
  template <class A, class B, class C, class R = floating_t<common3_t<A, B, C>>>    \
  ASSAY_INLINE constexpr R name(const A& a, const B& b, const C& c) {               \
    if constexpr (is_vec_v<R>) {                                                    \
      const R v = argument<R>(a), u = argument<R>(b), t = argument<R>(c);           \
      ASSAY_EACH(R, name(v.s[i], u.s[i], t.s[i]));                                  \
    } else {                                                                        \
      const float x = operand_of<R>(a), y = operand_of<R>(b), z = operand_of<R>(c); \
      return flushed(R(expression));                                                \
    }                                                                               \
  }
/// Functions of any numbers, computed in the arguments' common type R: of x, of x and y, of x, y and z.
#define ASSAY_ANY1(name, ...)                                                                  \
  template <class A, class R = value_t<A>, class = enable_if_t<scalar_kind<scalar_t<A>> != 0>> \
  ASSAY_INLINE constexpr R name(const A& a) {                                                  \
    if constexpr (is_vec_v<R>) {                                                               \
      const R v(a);                                                                            \
      ASSAY_EACH(R, name(v.s[i]));                                                             \
    } else {                                                                                   \
      const R x(a);                                                                            \
      __VA_ARGS__                                                                              \
    }                                                                                          \
  }
#define ASSAY_ANY2(name, ...)                             \
  template <class A, class B, class R = common_t<A, B>>   \
  ASSAY_INLINE constexpr R name(const A& a, const B& b) { \
    if constexpr (is_vec_v<R>) {                          \
      const R v = argument<R>(a), u = argument<R>(b);     \
      ASSAY_EACH(R, name(v.s[i], u.s[i]));                \
    } else {                                              \
      const R x = convert<R>(a), y = convert<R>(b);       \
      __VA_ARGS__                                         \
    }                                                     \
  }
#define ASSAY_ANY3(name, ...)                                             \
  template <class A, class B, class C, class R = common3_t<A, B, C>>      \
  ASSAY_INLINE constexpr R name(const A& a, const B& b, const C& c) {     \
    if constexpr (is_vec_v<R>) {                                          \
      const R v = argument<R>(a), u = argument<R>(b), t = argument<R>(c); \
      ASSAY_EACH(R, name(v.s[i], u.s[i], t.s[i]));                        \
    } else {                                                              \
      const R x = convert<R>(a), y = convert<R>(b), z = convert<R>(c);    \
      __VA_ARGS__                                                         \
    }                                                                     \
  }

}  // namespace assay_msl
