// Templates with numbers of arguments, folds, SFINAE, decltype, deduction, lambdas, default arguments, scopes.
// metal: 4.0
#include <metal_stdlib>
using namespace metal;
using metal::max;
using metal::float4;

template <typename... Ts>
METAL_FUNC constexpr float sum_of(Ts... xs) {
  return (float(xs) + ... + 0.0f);
}
template <typename T>
METAL_FUNC T largest(T x) {
  return x;
}
template <typename T, typename... Rest>
METAL_FUNC T largest(T x, Rest... rest) {
  const T other = largest(rest...);
  return x > other ? x : other;
}
template <int... Is>
struct Sizes {
  static constexpr int count = sizeof...(Is);
  static constexpr int product = (1 * ... * Is);
};
template <typename T>
struct is_small : bool_constant<(sizeof(T) <= 2)> {};
template <typename T>
constexpr constant bool is_small_v = is_small<T>::value;
template <typename T>
METAL_FUNC enable_if_t<is_small_v<T>, float> widen(T x) {
  return float(x) * 2;
}
template <typename T, enable_if_t<!is_small_v<T>, bool> = true>
METAL_FUNC float widen(T x) {
  return float(x);
}
template <typename T>
METAL_FUNC auto twice(T x) -> decltype(x + x) {
  return x + x;
}
template <class F>
METAL_FUNC float apply(F f, float x) {
  return f(x);
}
struct Square {
  METAL_FUNC float operator()(float x) const { return x * x; }
};
struct Base {
  float scale = 2.0f;
  int shift{3};
  METAL_FUNC float of(float x) const { return x * scale + shift; }
};
struct Derived : Base {
  float bias;
  METAL_FUNC Derived(float b) : bias(b) {}
  METAL_FUNC float of(float x) const { return Base::of(x) + bias; }
};
template <typename Self>
struct Static {
  METAL_FUNC float run(float x) { return static_cast<thread Self*>(this)->each(x); }
};
struct Own : Static<Own> {
  METAL_FUNC float each(float x) { return x + 1; }
};
namespace a::b {
inline namespace c {
constant float kDeep = 3.0f;
}
namespace {
static float hidden(float x, float factor = kDeep, int times = 2) {
  while (times-- > 0) x *= factor;
  return x;
}
}  // namespace
}  // namespace a::b
namespace short_name = a::b;
constexpr int power(int base, int e) { return e == 0 ? 1 : base * power(base, e - 1); }
constexpr int loop_power(int base, int e) {
  int r = 1;
  for (int i = 0; i < e; ++i) r *= base;
  return r;
}
template <typename T, int N>
struct Ring {
  T items[N];
  METAL_FUNC thread T& operator[](int i) { return items[i % N]; }
  METAL_FUNC const thread T& operator[](int i) const { return items[i % N]; }
  METAL_FUNC thread Ring& operator<<(T x) thread {
    items[0] = x;
    return *this;
  }
  friend METAL_FUNC bool operator==(const thread Ring& a, const thread Ring& b) { return a.items[0] == b.items[0]; }
  METAL_FUNC explicit operator bool() const { return items[0] != T(0); }
};
template <typename T>
using Ring4 = Ring<T, 4>;
typedef float row_t[4];
typedef float (*function_t)(float);
static float add_one(float x) { return x + 1; }
template <float (*f)(float)>
METAL_FUNC float through(float x) {
  return f(x);
}
template <template <typename, int> class Box, typename T>
METAL_FUNC T boxed(T x) {
  Box<T, 2> box{{x, x}};
  return box[1];
}
template <auto N>
METAL_FUNC constexpr int number() {
  return N;
}
union Bits {
  float f;
  uint u;
  uchar c[4];
};
struct Nested {
  struct Inner {
    enum Kind { kNone, kSome };
    Kind kind;
    float4 v;
  } inner[2];
  uint flags : 4;
  uint rest : 28;
  static constexpr constant int kCount = 2;
};
METAL_FUNC void split(float x, thread float& whole, thread float* part) {
  whole = floor(x);
  *part = x - whole;
}
METAL_FUNC float total_of(const thread float (&values)[4]) { return values[0] + values[1] + values[2] + values[3]; }
METAL_FUNC float total_at(threadgroup float (&values)[2][4], int i) { return values[i][0] + values[i][3]; }
template <typename T, size_t N>
METAL_FUNC T total_all(const thread array<T, N>& values) {
  T s = 0;
  for (auto x : values) s += x;
  for (size_t i = 0; i < values.size(); ++i) s += values[i];
  return s;
}

kernel void features(device float* out [[buffer(0)]], constant float* in [[buffer(1)]], device Nested* nested [[buffer(2)]],
                     uint i [[thread_position_in_grid]]) {
  threadgroup float shared[2][4];
  threadgroup float(*rows)[4] = shared;
  threadgroup float(&alias)[2][4] = shared;
  shared[0][i % 4] = rows[1][0] = in[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float s = sum_of(1, 2.0f, 3.h, in[0]) + largest(1.0f, in[i], 3.0f) + Sizes<1, 2, 3>::product + Sizes<1>::count;
  s += widen(half(1)) + widen(2.0f) + widen(short(3)) + twice(in[i]) + apply(Square{}, in[i]) + apply(Square(), 2.f);
  auto scale = [](float x) { return x * 2.0f; };
  float captured = 3;
  auto with = [&](float x) -> float { return x * captured; };
  auto by_value = [captured, s](float x) { return x + captured + s; };
  s += apply(scale, 1.0f) + with(2.0f) + by_value(1.f);
  Derived d(1.5f);
  Own own;
  s += d.of(in[i]) + d.scale + own.run(1) + short_name::hidden(2) + a::b::hidden(1.f, 2.f) + a::b::kDeep;
  constexpr int kSize = loop_power(2, 3) + power(2, 2);
  float sized[kSize] = {};
  row_t row = {1, 2, 3, 4};
  function_t function = add_one;
  s += sized[kSize - 1] + row[2] + function(1) + through<add_one>(2) + boxed<Ring>(1.0f) + number<5>() + total_of(row) + total_at(alias, 1);
  Ring4<float> ring = {{1, 2, 3, 4}};
  ring << 2.0f << 3.0f;
  if (ring && ring == ring) s += ring[5];
  array<float, 3> three = {1, 2, 3};
  s += total_all(three) + three[1];
  Bits bits;
  bits.f = s;
  bits.u ^= 0x80000000u;
  s = bits.f + bits.c[3];
  float whole, part;
  split(s, whole, &part);
  struct Two { float a, b; };
  const auto [p, q] = Two{1, 2};
  nested[i].inner[1].kind = Nested::Inner::kSome;
  nested[i].inner[0].v.xy += float2(p, q);
  nested[i].flags = 3;
  nested[i].rest++;
  s += nested[i].inner[0].kind == Nested::Inner::Kind::kNone ? whole : part, s += Nested::kCount;
  struct Local {
    float a, b;
    float sum() const { return a + b; }
  };
  Local local{1, 2};
  s += local.sum();
  const bool ok = not(s < 0) and (s > 1 or s < 0.5f);
  for (uint k = 0, n = 4; k < n; ++k, n -= 1) s += k;
  do {
    s -= 1;
    if (s < 0) break;
    else continue;
  } while (s > 10);
  if (const float y = in[1]; y > 0) s += y;
  switch (int(s)) {
    case 0 ... 3: s += 1; break;
    case 4: [[fallthrough]];
    default: break;
  }
  s += sizeof(Nested) + alignof(float4) + sizeof s + (ok ? 1 : 0) + decltype(s)(1) + static_cast<float>(i) + (float)(int)s;
  out[i] = s;
}
