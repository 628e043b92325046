// What kernels specialise in namespace metal for types of their own: there it has to be declared, and not
// only named. The library itself asks its own, of its own types.
#pragma once
#include "metal/limits.h"
#include "metal/type_traits.h"

namespace metal {

#define ASSAY_OPEN_TRAIT(name)         \
  template <class T>                   \
  struct name : assay_msl::name<T> {}; \
  template <class T>                   \
  constexpr bool name##_v = name<T>::value;
ASSAY_OPEN_TRAIT(is_arithmetic)
ASSAY_OPEN_TRAIT(is_floating_point)
ASSAY_OPEN_TRAIT(is_integral)
ASSAY_OPEN_TRAIT(is_scalar)
ASSAY_OPEN_TRAIT(is_signed)
ASSAY_OPEN_TRAIT(is_unsigned)
#undef ASSAY_OPEN_TRAIT
template <class From, class To>
struct is_convertible : assay_msl::is_convertible<From, To> {};
template <class From, class To>
constexpr bool is_convertible_v = is_convertible<From, To>::value;

/// The bases that Apple's own limits have, and that limits of other types are given.
struct _numeric_limits_impl_base {
  static constexpr bool is_specialized = true, is_bounded = true;
};
struct _fp_numeric_limits_impl_base : _numeric_limits_impl_base {
  static constexpr bool is_signed = true, is_integer = false, is_exact = false, is_modulo = false;
  static constexpr bool has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = true, is_iec559 = true;
  static constexpr int radix = 2;
};
template <class T>
struct _numeric_limits_impl : assay_msl::numeric_limits<T> {};
template <class T>
struct numeric_limits : _numeric_limits_impl<T> {};
template <class T>
struct numeric_limits<const T> : numeric_limits<T> {};

}  // namespace metal
