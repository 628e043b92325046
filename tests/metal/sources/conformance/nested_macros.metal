// Families of kernels by macros within macros, templates that share a name, and traits that are given for a new type.
#include <metal_stdlib>
#include <metal_texture>
using namespace metal;

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define WORDS_(x) #x
#define WORDS(x) WORDS_(x)

struct Plus {
  template <typename T> METAL_FUNC T operator()(T a, T b) { return a + b; }
};
struct Times {
  template <typename T> METAL_FUNC T operator()(T a, T b) { return a * b; }
};
struct cents {
  int n;
  cents() thread = default;
  cents() device = default;
  cents() threadgroup = default;
  constexpr METAL_FUNC cents(int x) : n(x) {}
};
METAL_FUNC cents operator+(cents a, cents b) { return cents(a.n + b.n); }
METAL_FUNC cents operator*(cents a, cents b) { return cents(a.n * b.n); }
namespace metal {
template <> struct is_arithmetic<cents> : true_type {};
template <> struct _numeric_limits_impl<cents> : _fp_numeric_limits_impl_base {
  static constexpr cents max() { return cents(99); }
};
}  // namespace metal

template <typename T, typename U = T, typename Op = Plus, int N = 1>
[[kernel]] void apply(device const T *a, device const T *b, device U *c, uint i [[thread_position_in_grid]]) {
  static_assert(is_arithmetic_v<T> && numeric_limits<T>::is_specialized, "numbers");
  for (int k = 0; k < N; ++k) c[i] = U(Op()(a[i], b[i]));
}
// Two templates of one name, told apart by what they are given.
template <typename T>
[[kernel]] void mark(device T *c, uint i [[thread_position_in_grid]]) { c[i] = 1; }
template <typename T, int N, typename Op>
[[kernel]] void mark(device const T *a, device T *c [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  c[i] = Op()(a[i], T(N));
}
namespace far {
namespace away {
template <typename T>
kernel void greet(device T *c, uint i [[thread_position_in_grid]]) { c[i] = 3; }
}
}

#define instantiate(name, what, ...) \
  template [[host_name(name)]] [[kernel]] decltype(what<__VA_ARGS__>) what<__VA_ARGS__>;
#define of_type(name, type, op) instantiate("apply_" name #op "_" #type, apply, type, type, op)
#define of_op(op, ...) of_type("", float, op) of_type("", half, op) __VA_ARGS__
#define of_all(m) m(Plus) m(Times, of_type("small_", uchar, Times))
of_all(of_op)
instantiate(WORDS(JOIN(apply_, defaults)) "_" WORDS(2), apply, float)
instantiate("apply_cents", apply, cents, cents, Times, 2)
instantiate("mark_one", mark, float)
instantiate("mark_other", mark, float, 4, Times)
template [[host_name("greet_half")]] kernel decltype(far::away::greet<half>) far::away::greet<half>;

// Lists that are shorter than what they initialise.
kernel void short_lists(device float *out) {
  const uint4 three = {1u, 2u, 3u};
  const float4 two = {4.f, 5.f};
  const half3 of_three = {6.h, 7.h};
  out[0] = float(three.x + three.z * 10 + three.w);
  out[1] = two.x + two.y * 10 + two.z + two.w;
  out[2] = of_three.x + of_three.y * 10 + of_three.z;
}

// Two templates with the same arguments; the parameters of an instantiation say which one it is of.
template <typename T>
struct Tank {
  device T* level;
};
template <typename T>
struct PumpedTank {
  device T* level;
  device T* flow;
};
template <typename T>
kernel void fill(constant Tank<T>& tank [[buffer(0)]], constant float& rate [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
  tank.level[i] += T(rate);
}
template <typename T>
kernel void fill(constant PumpedTank<T>& tank [[buffer(0)]], constant float& rate [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
  tank.flow[i] *= T(2);
  tank.level[i] += T(rate) * tank.flow[i];
}
#define FILL(type)                                                                                       \
  template [[host_name("fill_" #type)]] kernel void fill<type>(                                          \
      constant Tank<type> & tank [[buffer(0)]], constant float& rate [[buffer(1)]],                      \
      uint i [[thread_position_in_grid]]);                                                               \
  template [[host_name("fill_pumped_" #type)]] kernel void fill<type>(                                   \
      constant PumpedTank<type>&, constant float& [[buffer(1)]], uint place [[thread_position_in_grid]]);
FILL(float)
FILL(half)
