// A complex number with constructors, conversions and operators by address space.
#include <metal_stdlib>
using namespace metal;

struct pair32;
template <typename T>
static constexpr constant bool can_be_pair = !is_same_v<T, pair32> && is_convertible_v<T, float>;
template <typename T>
static constexpr constant bool can_come_of_pair =
    !is_same_v<T, pair32> && (is_convertible_v<float, T> || is_convertible_v<T, float>);

struct pair32 {
  float real;
  float imag;
  pair32() = default;
  constexpr pair32(float r, float i) : real(r), imag(i) {}
  template <typename T, typename = typename enable_if<can_be_pair<T>>::type>
  constexpr pair32(T x) thread : real(x), imag(0) {}
  template <typename T, typename = typename enable_if<can_be_pair<T>>::type>
  constexpr pair32(T x) threadgroup : real(x), imag(0) {}
  template <typename T, typename = typename enable_if<can_be_pair<T>>::type>
  constexpr pair32(T x) device : real(x), imag(0) {}
  template <typename T, typename = typename enable_if<can_be_pair<T>>::type>
  constexpr pair32(T x) constant : real(x), imag(0) {}
  template <typename T, typename = typename enable_if<can_come_of_pair<T>>::type>
  constexpr operator T() const thread {
    return static_cast<T>(real);
  }
  template <typename T, typename = typename enable_if<can_come_of_pair<T>>::type>
  constexpr operator T() const threadgroup {
    return static_cast<T>(real);
  }
  template <typename T, typename = typename enable_if<can_come_of_pair<T>>::type>
  constexpr operator T() const device {
    return static_cast<T>(real);
  }
  template <typename T, typename = typename enable_if<can_come_of_pair<T>>::type>
  constexpr operator T() const constant {
    return static_cast<T>(real);
  }
};
constexpr pair32 operator-(pair32 x) { return {-x.real, -x.imag}; }
constexpr bool operator>=(pair32 a, pair32 b) {
  return (a.real > b.real) || (a.real == b.real && a.imag >= b.imag);
}
constexpr bool operator==(pair32 a, pair32 b) { return a.real == b.real && a.imag == b.imag; }
constexpr pair32 operator+(pair32 a, pair32 b) { return {a.real + b.real, a.imag + b.imag}; }
constexpr thread pair32& operator+=(thread pair32& a, pair32 b) {
  a.real += b.real;
  a.imag += b.imag;
  return a;
}
constexpr threadgroup pair32& operator+=(threadgroup pair32& a, pair32 b) {
  a.real += b.real;
  a.imag += b.imag;
  return a;
}
constexpr device pair32& operator+=(device pair32& a, pair32 b) {
  a.real += b.real;
  a.imag += b.imag;
  return a;
}
constexpr pair32 operator*(pair32 a, pair32 b) {
  return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
}
constexpr pair32 operator/(pair32 a, pair32 b) {
  auto denominator = b.real * b.real + b.imag * b.imag;
  auto x = a.real * b.real + a.imag * b.imag;
  auto y = a.imag * b.real - a.real * b.imag;
  return {x / denominator, y / denominator};
}
constexpr pair32 operator%(pair32 a, pair32 b) {
  auto real = a.real - (b.real * static_cast<int64_t>(a.real / b.real));
  auto imag = a.imag - (b.imag * static_cast<int64_t>(a.imag / b.imag));
  if (real != 0 && (real < 0 != b.real < 0)) real += b.real;
  return {real, imag};
}
constexpr constant pair32 kUnit = {0.0f, 1.0f};

struct Exponential {
  template <typename T>
  T operator()(T x) {
    return metal::precise::exp(x);
  }
  pair32 operator()(pair32 x) {
    auto m = metal::exp(x.real);
    return {m * metal::cos(x.imag), m * metal::sin(x.imag)};
  }
};
struct Magnitude {
  template <typename T>
  T operator()(T x) {
    return metal::abs(x);
  };
  uint8_t operator()(uint8_t x) { return x; };
  bool operator()(bool x) { return x; };
  pair32 operator()(pair32 x) { return {metal::precise::sqrt(x.real * x.real + x.imag * x.imag), 0}; };
};
template <typename T, typename Op>
[[kernel]] void unary_v(device const T* in, device T* out, device const char& extra,
                        uint index [[thread_position_in_grid]]) {
  (void)extra;
  out[index] = Op()(in[index]);
}
template <typename T, typename Op, int N = 4>
[[kernel]] void unary_v2(device const T* in, device T* out, constant uint& size,
                         uint index [[thread_position_in_grid]]) {
  index *= N;
  if (N > 1 && index + N > size) {
    for (int i = 0; index + i < size; ++i) out[index + i] = Op()(in[index + i]);
  } else {
    for (int i = 0; i < N; ++i) out[index + i] = Op()(in[index + i]);
  }
}
#define instantiate_kernel(name, func, ...) \
  template [[host_name(name)]] [[kernel]] decltype(func<__VA_ARGS__>) func<__VA_ARGS__>;
#define instantiate_unary(op, tname, type)                    \
  instantiate_kernel("v_" #op #tname, unary_v, type, op)      \
  instantiate_kernel("v2_" #op #tname, unary_v2, type, op, 2)
#define instantiate_unary_types(op)              \
  instantiate_unary(op, complex64, pair32)       \
  instantiate_unary(op, float32, float)
instantiate_unary_types(Exponential)
instantiate_unary_types(Magnitude)
instantiate_unary(Magnitude, bool_, bool) instantiate_unary(Magnitude, uint8, uint8_t)

kernel void pairs(device pair32* out [[buffer(0)]], device const pair32* in [[buffer(1)]],
                  threadgroup pair32* shared [[threadgroup(0)]], uint i [[thread_position_in_grid]],
                  uint l [[thread_position_in_threadgroup]]) {
  shared[l] = in[i] * kUnit;
  shared[l] += pair32(1);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] += shared[l] / in[i];
  pair32 t = -out[i] % pair32(2.f, 3.f);
  t += 4;
  if (t >= in[i] && !(t == pair32{1, 2})) out[i] = t;
}
