// What lowering writes for sums (harness/metal/arithmetic.hpp): contraction of halves, and values that the
// optimizer is not to look behind.
#pragma once
#include "metal/math.h"

namespace assay_msl {

/// Are products and sums of these contracted here? Those of floats by the compiler, which can do it across
/// statements too, unless the processor has no instruction for it.
#ifdef __FP_FAST_FMAF
template <class S>
constexpr bool contracted_here = is_same_v<S, half> || is_same_v<S, bfloat>;
#else
template <class S>
constexpr bool contracted_here = is_floating_point_v<S>;
#endif
template <class R>
constexpr bool contracts_v = contracted_here<scalar_t<decay_t<R>>>;

// By value: arrays decay as they do in the operators, and members may be bit-fields.
#define ASSAY_CONTRACTION(name, expression, fused)                                       \
  template <class A, class B, class C>                                                   \
  ASSAY_INLINE constexpr auto name(A a, B b, C c)->decay_t<decltype(expression)> { \
    typedef decay_t<decltype(expression)> R;                                             \
    if constexpr (contracts_v<R> && contracts_v<decltype(product)>) {                    \
      return R(fused);                                                                   \
    } else {                                                                             \
      return expression;                                                                 \
    }                                                                                    \
  }
#define product b* c
ASSAY_CONTRACTION(plus_product, a + b * c, fma(b, c, a))
ASSAY_CONTRACTION(minus_product, a - b * c, fma(-b, c, a))
#undef product
#define product a* b
ASSAY_CONTRACTION(product_plus, a* b + c, fma(a, b, c))
ASSAY_CONTRACTION(product_minus, a* b - c, fma(a, b, -c))
#undef product
#undef ASSAY_CONTRACTION

/// a += b * c and a -= b * c.
template <class A, class B, class C>
ASSAY_INLINE constexpr A& add_product(A&& a, B b, C c) {
  refuse_temporary<A>();
  if constexpr (contracts_v<A>) {  // only then need there be an operator+
    if constexpr (contracts_v<decltype(a + b * c)> && contracts_v<decltype(b * c)>) {
      a = fma(b, c, a);
      return a;
    }
  }
  a += b * c;
  return a;
}
template <class A, class B, class C>
ASSAY_INLINE constexpr A& subtract_product(A&& a, B b, C c) {
  refuse_temporary<A>();
  if constexpr (contracts_v<A>) {  // only then need there be an operator-
    if constexpr (contracts_v<decltype(a - b * c)> && contracts_v<decltype(b * c)>) {
      a = fma(-b, c, a);
      return a;
    }
  }
  a -= b * c;
  return a;
}

/// A number that the optimizer takes for any number at all.
template <class T>
ASSAY_INLINE T opaque(T x) {
  if constexpr (sizeof(T) == 2) {
    ushort bits = bits_as<ushort>(x);
    asm("" : "+r"(bits));
    return bits_as<T>(bits);
  } else {
    uint bits = bits_as<uint>(x);
    asm("" : "+r"(bits));
    return bits_as<T>(bits);
  }
}
/// The value of floating-point arithmetic, rounded and not to be regrouped with any other; anything else as
/// it is.
template <class A>
ASSAY_INLINE constexpr value_t<A> kept(A a) {
  typedef value_t<A> R;
  if constexpr (is_floating_point_v<scalar_t<R>>) {
    R value(a);
    if (__builtin_is_constant_evaluated()) return value;
    if constexpr (is_vec_v<R>) {
      for (int i = 0; i < value_of<R>::count; ++i) value.s[i] = opaque(value.s[i]);
    } else {
      value = opaque(value);
    }
    return value;
  } else {
    return a;
  }
}
/// The same of a variable.
template <class A>
ASSAY_INLINE constexpr A& kept_in_place(A&& a) {
  refuse_temporary<A>();
  if constexpr (is_floating_point_v<scalar_t<value_t<decay_t<A>>>>) a = kept(a);
  return a;
}

/// a / b as a compiler computes it that may multiply by the reciprocal: with one rounding more.
template <class A, class B>
ASSAY_INLINE constexpr auto by_reciprocal(A a, B b) -> decay_t<decltype(a / b)> {
  typedef decay_t<decltype(a / b)> R;
  if constexpr (is_floating_point_v<scalar_t<value_t<R>>>) {
    return R(a) * kept(R(1) / R(b));
  } else {
    return a / b;
  }
}
/// a /= b, likewise.
template <class A, class B>
ASSAY_INLINE constexpr A& divide_by_reciprocal(A&& a, B b) {
  refuse_temporary<A>();
  if constexpr (is_floating_point_v<scalar_t<value_t<decay_t<A>>>>) {
    a = decay_t<A>(by_reciprocal(a, b));
  } else {
    a /= b;
  }
  return a;
}

}  // namespace assay_msl
