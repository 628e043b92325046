// <metal_type_traits>, and the traits that the function templates of these headers choose their results by.
#pragma once
#include "metal/scalar_types.h"

namespace assay_msl {

template <class T, T v>
struct integral_constant {
  static constexpr T value = v;
  typedef T value_type;
  typedef integral_constant type;
  constexpr operator T() const { return v; }
  constexpr T operator()() const { return v; }
};
template <bool b>
using bool_constant = integral_constant<bool, b>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;

template <bool, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> {
  typedef T type;
};
template <bool b, class T = void>
using enable_if_t = typename enable_if<b, T>::type;

template <bool, class T, class>
struct conditional {
  typedef T type;
};
template <class T, class U>
struct conditional<false, T, U> {
  typedef U type;
};
template <bool b, class T, class U>
using conditional_t = typename conditional<b, T, U>::type;

#define ASSAY_TRANSFORMATION(name, pattern) \
  template <class T>                        \
  struct name {                             \
    typedef T type;                         \
  };                                        \
  template <class T>                        \
  struct name<pattern> {                    \
    typedef T type;                         \
  };                                        \
  template <class T>                        \
  using name##_t = typename name<T>::type;
ASSAY_TRANSFORMATION(remove_const, const T)
ASSAY_TRANSFORMATION(remove_volatile, volatile T)
ASSAY_TRANSFORMATION(remove_pointer, T*)
ASSAY_TRANSFORMATION(remove_extent, T[])
#undef ASSAY_TRANSFORMATION
template <class T>
struct remove_cv {
  typedef remove_const_t<remove_volatile_t<T>> type;
};
template <class T>
using remove_cv_t = typename remove_cv<T>::type;
template <class T>
struct remove_reference {
  typedef T type;
};
template <class T>
struct remove_reference<T&> {
  typedef T type;
};
template <class T>
struct remove_reference<T&&> {
  typedef T type;
};
template <class T>
using remove_reference_t = typename remove_reference<T>::type;
template <class T>
struct decay {
  typedef remove_cv_t<remove_reference_t<T>> type;
};
template <class T>
struct decay<T[]> {
  typedef T* type;
};
template <class T, size_t n>
struct decay<T[n]> {
  typedef T* type;
};
template <class T>
using decay_t = typename decay<T>::type;

template <class T>
T&& declval();
template <class T, class U>
constexpr bool is_same_v = false;
template <class T>
constexpr bool is_same_v<T, T> = true;
template <class T, class U>
struct is_same : bool_constant<is_same_v<T, U>> {};

// The kind of each scalar type: 1 signed integer, 2 unsigned integer, 3 floating point, 4 bool.
template <class T>
constexpr int scalar_kind = 0;
template <class T>
constexpr int scalar_kind<const T> = scalar_kind<T>;
template <>
inline constexpr int scalar_kind<bool> = 4;
#define ASSAY_KIND(kind, type) \
  template <>                  \
  inline constexpr int scalar_kind<type> = kind;
ASSAY_KIND(1, char)
ASSAY_KIND(1, signed char)
ASSAY_KIND(1, short)
ASSAY_KIND(1, int)
ASSAY_KIND(1, long)
ASSAY_KIND(1, long long)
ASSAY_KIND(2, uchar)
ASSAY_KIND(2, ushort)
ASSAY_KIND(2, uint)
ASSAY_KIND(2, ulong)
ASSAY_KIND(2, unsigned long long)
ASSAY_KIND(3, half)
ASSAY_KIND(3, float)
ASSAY_KIND(3, double)
ASSAY_KIND(3, bfloat)
#undef ASSAY_KIND

#define ASSAY_PREDICATE(name, ...)         \
  template <class T>                       \
  constexpr bool name##_v = (__VA_ARGS__); \
  template <class T>                       \
  struct name : bool_constant<name##_v<T>> {};
ASSAY_PREDICATE(is_integral, scalar_kind<T> == 1 || scalar_kind<T> == 2 || scalar_kind<T> == 4)
ASSAY_PREDICATE(is_floating_point, scalar_kind<T> == 3)
ASSAY_PREDICATE(is_arithmetic, scalar_kind<T> != 0)
ASSAY_PREDICATE(is_scalar, scalar_kind<T> != 0 || __is_enum(T))
ASSAY_PREDICATE(is_signed, scalar_kind<T> == 1 || scalar_kind<T> == 3)
ASSAY_PREDICATE(is_unsigned, scalar_kind<T> == 2 || scalar_kind<T> == 4)
ASSAY_PREDICATE(is_void, is_same_v<remove_cv_t<T>, void>)
ASSAY_PREDICATE(is_const, !is_same_v<remove_const_t<T>, T>)
ASSAY_PREDICATE(is_pointer, !is_same_v<remove_pointer_t<T>, T>)
ASSAY_PREDICATE(is_reference, !is_same_v<remove_reference_t<T>, T>)
ASSAY_PREDICATE(is_enum, __is_enum(T))
ASSAY_PREDICATE(is_class, __is_class(T))
ASSAY_PREDICATE(is_union, __is_union(T))
ASSAY_PREDICATE(is_trivially_copyable, __is_trivially_copyable(T))
ASSAY_PREDICATE(is_trivial, __is_trivial(T))
ASSAY_PREDICATE(is_standard_layout, __is_standard_layout(T))
ASSAY_PREDICATE(is_final, __is_final(T))
ASSAY_PREDICATE(is_abstract, __is_abstract(T))
ASSAY_PREDICATE(is_polymorphic, __is_polymorphic(T))
ASSAY_PREDICATE(is_volatile, !is_same_v<remove_volatile_t<T>, T>)
ASSAY_PREDICATE(is_fundamental, scalar_kind<remove_cv_t<T>> != 0 || is_void_v<T>)
ASSAY_PREDICATE(is_compound, !is_fundamental_v<T>)
ASSAY_PREDICATE(is_default_constructible, __is_constructible(T))
#undef ASSAY_PREDICATE

template <class From, class To, class = void>
constexpr bool is_convertible_v = false;
template <class To>
void take(To);
template <class From, class To>
constexpr bool is_convertible_v<From, To, decltype(take<To>(declval<From>()))> = true;
template <class From, class To>
struct is_convertible : bool_constant<is_convertible_v<From, To>> {};
template <class Base, class Derived>
constexpr bool is_base_of_v = __is_base_of(Base, Derived);
template <class Base, class Derived>
struct is_base_of : bool_constant<is_base_of_v<Base, Derived>> {};

template <class T>
constexpr bool is_array_v = false;
template <class T>
constexpr bool is_array_v<T[]> = true;
template <class T, size_t n>
constexpr bool is_array_v<T[n]> = true;
template <class T>
struct is_array : bool_constant<is_array_v<T>> {};

template <class... T>
constexpr bool conjunction_v = (bool(T::value) && ...);
template <class... T>
struct conjunction : bool_constant<conjunction_v<T...>> {};
template <class... T>
constexpr bool disjunction_v = (bool(T::value) || ...);
template <class... T>
struct disjunction : bool_constant<disjunction_v<T...>> {};
template <class T>
constexpr bool negation_v = !bool(T::value);
template <class T>
struct negation : bool_constant<negation_v<T>> {};
// By these names with `#pragma METAL internals : enable`.
template <class... T>
using _conjunction = conjunction<T...>;
template <class... T>
using _disjunction = disjunction<T...>;
template <class T>
using _negation = negation<T>;

/// A type without its address space. Lowered types have none.
template <class T>
struct remove_addrspace {
  typedef T type;
};
template <class T>
using remove_addrspace_t = typename remove_addrspace<T>::type;

template <class T>
struct add_const {
  typedef const T type;
};
template <class T>
using add_const_t = typename add_const<T>::type;
template <class T>
struct add_pointer {
  typedef remove_reference_t<T>* type;
};
template <class T>
using add_pointer_t = typename add_pointer<T>::type;
template <class T>
struct underlying_type {
  typedef __underlying_type(T) type;
};
template <class T>
using underlying_type_t = typename underlying_type<T>::type;
template <class...>
using void_t = void;

template <class T>
constexpr bool is_lvalue_reference_v = false;
template <class T>
constexpr bool is_lvalue_reference_v<T&> = true;
template <class T>
struct is_lvalue_reference : bool_constant<is_lvalue_reference_v<T>> {};
template <class T>
constexpr bool is_rvalue_reference_v = false;
template <class T>
constexpr bool is_rvalue_reference_v<T&&> = true;
template <class T>
struct is_rvalue_reference : bool_constant<is_rvalue_reference_v<T>> {};
template <class T>
constexpr bool is_function_v = !is_const_v<const T> && !is_reference_v<T>;
template <class T>
struct is_function : bool_constant<is_function_v<T>> {};
template <class T>
constexpr bool is_object_v = !is_function_v<T> && !is_reference_v<T> && !is_void_v<T>;
template <class T>
struct is_object : bool_constant<is_object_v<T>> {};
template <class T, class... A>
constexpr bool is_constructible_v = __is_constructible(T, A...);
template <class T, class... A>
constexpr bool is_trivially_constructible_v = __is_trivially_constructible(T, A...);
template <class T, class... A>
struct is_trivially_constructible : bool_constant<is_trivially_constructible_v<T, A...>> {};
template <class T, class... A>
struct is_constructible : bool_constant<is_constructible_v<T, A...>> {};

template <class T>
constexpr size_t rank_v = 0;
template <class T>
constexpr size_t rank_v<T[]> = rank_v<T> + 1;
template <class T, size_t n>
constexpr size_t rank_v<T[n]> = rank_v<T> + 1;
template <class T>
struct rank : integral_constant<size_t, rank_v<T>> {};
template <class T, unsigned axis = 0>
constexpr size_t extent_v = 0;
template <class T, size_t n>
constexpr size_t extent_v<T[n], 0> = n;
template <class T, size_t n, unsigned axis>
constexpr size_t extent_v<T[n], axis> = extent_v<T, axis - 1>;
template <class T, unsigned axis = 0>
struct extent : integral_constant<size_t, extent_v<T, axis>> {};
template <class T>
struct alignment_of : integral_constant<size_t, alignof(T)> {};
template <class T>
constexpr size_t alignment_of_v = alignof(T);

#define ASSAY_ADDED(name, result)                  \
  template <class T>                               \
  struct name {                                    \
    typedef result type;                           \
  };                                               \
  template <class T>                               \
  using name##_t = typename name<T>::type;
ASSAY_ADDED(add_volatile, volatile T)
ASSAY_ADDED(add_cv, const volatile T)
#undef ASSAY_ADDED
// There are no references to void: it stays as it is.
#define ASSAY_REFERENCE(name, result)   \
  template <class T, class = void>      \
  struct name {                         \
    typedef T type;                     \
  };                                    \
  template <class T>                    \
  struct name<T, void_t<result>> {      \
    typedef result type;                \
  };                                    \
  template <class T>                    \
  using name##_t = typename name<T>::type;
ASSAY_REFERENCE(add_lvalue_reference, T&)
ASSAY_REFERENCE(add_rvalue_reference, T&&)
#undef ASSAY_REFERENCE
template <class T>
struct remove_all_extents {
  typedef T type;
};
template <class T>
struct remove_all_extents<T[]> : remove_all_extents<T> {};
template <class T, size_t n>
struct remove_all_extents<T[n]> : remove_all_extents<T> {};
template <class T>
using remove_all_extents_t = typename remove_all_extents<T>::type;
/// What "?:" makes of values of these types, from the first on.
template <class T, class... Rest>
struct common_type {
  typedef decay_t<T> type;
};
template <class T, class U, class... Rest>
struct common_type<T, U, Rest...> : common_type<decay_t<decltype(false ? declval<T>() : declval<U>())>, Rest...> {};
template <class... T>
using common_type_t = typename common_type<T...>::type;
template <class>
struct result_of;
template <class F, class... A>
struct result_of<F(A...)> {
  typedef decltype(declval<F>()(declval<A>()...)) type;
};
template <class F>
using result_of_t = typename result_of<F>::type;

template <class T>
struct make_unsigned {
  typedef T type;
};
template <class T>
struct make_signed {
  typedef T type;
};
#define ASSAY_SIGNEDNESS(s, u) \
  template <>                  \
  struct make_unsigned<s> {    \
    typedef u type;            \
  };                           \
  template <>                  \
  struct make_signed<u> {      \
    typedef s type;            \
  };
ASSAY_SIGNEDNESS(char, uchar)
ASSAY_SIGNEDNESS(short, ushort)
ASSAY_SIGNEDNESS(int, uint)
ASSAY_SIGNEDNESS(long, ulong)
#undef ASSAY_SIGNEDNESS
template <>
struct make_unsigned<signed char> {
  typedef uchar type;
};
template <class T>
using make_unsigned_t = typename make_unsigned<T>::type;
template <class T>
using make_signed_t = typename make_signed<T>::type;

/// Conversion of one scalar to another. Integers reach half by way of float, which rounds only those that are
/// infinite as halves, so that the result is rounded once all the same. Those to integers saturate where the author
/// of a kernel accepts that (harness/metal/clang/saturate.hpp).
template <class T, class U>
ASSAY_INLINE constexpr T convert(U x) {
  if constexpr (is_same_v<T, half> && is_integral_v<U>) {
    return T(float(x));
  } else {
    return T(x);
  }
}
template <class U>
ASSAY_INLINE constexpr half make_half(U x) {
  return convert<half>(x);
}

}  // namespace assay_msl
