#pragma once
#include <metal_math>

typedef half float16_t;
#if (__METAL_VERSION__ >= 310)
#include <metal_stdlib>
using namespace metal;
typedef bfloat bfloat16_t;
#else
#error "an older Metal"
#endif

template <typename U>
struct Limits {
  static const constant U max = metal::numeric_limits<U>::max();
  static const constant U min = metal::numeric_limits<U>::min();
  static const constant U finite_max = metal::numeric_limits<U>::max();
};

#define instantiate_float_limit(type)             \
  template <>                                     \
  struct Limits<type> {                           \
    static constexpr constant type max =          \
        metal::numeric_limits<type>::infinity();  \
    static constexpr constant type min =          \
        -metal::numeric_limits<type>::infinity(); \
  };

instantiate_float_limit(half);
instantiate_float_limit(float);

struct complex64_t {
  float real;
  float imag;

  // Constructors
  constexpr complex64_t(float real, float imag) : real(real), imag(imag) {};
  constexpr complex64_t() : real(0), imag(0) {};
  constexpr complex64_t() threadgroup : real(0), imag(0) {};

  template <typename T, typename = typename enable_if<!is_same_v<T, complex64_t>>::type>
  constexpr complex64_t(T x) thread : real(x), imag(0) {}

  template <typename T, typename = typename enable_if<!is_same_v<T, complex64_t>>::type>
  constexpr complex64_t(T x) threadgroup : real(x), imag(0) {}

  template <typename T, typename = typename enable_if<!is_same_v<T, complex64_t>>::type>
  constexpr complex64_t(T x) device : real(x), imag(0) {}

  template <typename T, typename = typename enable_if<!is_same_v<T, complex64_t>>::type>
  constexpr complex64_t(T x) constant : real(x), imag(0) {}

  // Conversions from complex64_t
  explicit constexpr operator float() const thread {
    return real;
  }
  explicit constexpr operator float() const threadgroup {
    return real;
  }
  explicit constexpr operator float() const device {
    return real;
  }
  explicit constexpr operator float() const constant {
    return real;
  }
};

constexpr complex64_t operator+(complex64_t a, complex64_t b) {
  return {a.real + b.real, a.imag + b.imag};
}
constexpr thread complex64_t& operator+=(thread complex64_t& a, complex64_t b) {
  a.real += b.real;
  a.imag += b.imag;
  return a;
}
constexpr threadgroup complex64_t& operator+=(threadgroup complex64_t& x, complex64_t y) {
  x.real += y.real;
  x.imag += y.imag;
  return x;
}
constexpr complex64_t operator*(complex64_t a, complex64_t b) {
  return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
}

METAL_FUNC int64_t elem_to_loc(
    int64_t elem,
    constant const int* shape,
    constant const int64_t* strides,
    int ndim) {
  int64_t loc = 0;
  for (int i = ndim - 1; i >= 0 && elem > 0; --i) {
    loc += (elem % shape[i]) * strides[i];
    elem /= shape[i];
  }
  return loc;
}

template <typename IdxT = int64_t>
METAL_FUNC IdxT elem_to_loc_1(uint elem, constant const int64_t& stride) {
  return elem * IdxT(stride);
}

inline size_t ceildiv(size_t N, size_t M) {
  return (N + M - 1) / M;
}
