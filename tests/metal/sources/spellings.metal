// What spelling has few users and means the same everywhere: each kernel says of itself whether it is right.
#include <metal_logging>
#include <metal_stdlib>
#include <simd/simd.h>
using namespace metal;

#define RIGHT(n, ...) out[n] = (__VA_ARGS__) ? 1 : 0;

// `auto` is a vector of its own, whose components can be changed.
template <typename T> T middle(T low, T high) { T sum = low + high; return sum / T(2); }
kernel void swizzles_that_are_named(device int* out [[buffer(0)]], device const float4* in [[buffer(1)]]) {
  float4 v = in[0];
  auto low = v.xy;
  const auto high = v.zw, first = v.xy;
  const auto reversed = v.wzyx;
  low.x = 9;
  low += 1;
  RIGHT(0, all(low == float2(10, 3)) && v.x == 1)
  RIGHT(1, (v.zw).x == 3 && (in[0].wzy).z == 2 && high.y == 4)
  RIGHT(2, middle(v.xy, v.zw).y == 3 && middle(in[0].x, in[0].y) == 1.5f)
  auto twice = [](auto a) { a.y = a.x; return a + a; };
  RIGHT(3, twice(v.zw).y == 6 && sizeof(low) == 8 && reversed.x == 4 && first.y == 2)
  for (auto left = v.xyz; left.x < 2; left.x += 1) out[4] = v.x == 1;
}

// Values of static members that specialisations give.
template <typename T> struct Tile {
  static constant constexpr int rows = 8, columns = sizeof(T) < 4 ? 16 : 4;
  static constexpr constant T least = T(-1);
  float of[rows];
};
template <> constexpr constant int Tile<half>::rows = 16;
template <> constant constexpr half Tile<half>::least = -65504.0h;
namespace shapes {
template <typename T, int N> struct Block { static constexpr int size = N; };
template <typename T> struct Tile { static constexpr int rows = 1; };
template <> constexpr int Tile<half>::rows = 2;
}
template <> constexpr int shapes::Tile<char>::rows = 3;
template <> constexpr int shapes::Block<float, 4>::size = 40;
kernel void members_that_are_specialised(device int* out [[buffer(0)]]) {
  RIGHT(0, Tile<half>::rows == 16 && Tile<float>::rows == 8)
  RIGHT(1, Tile<half>::columns == 16 && Tile<float>::columns == 4)
  RIGHT(2, Tile<half>::least == -65504.0h && Tile<float>::least == -1)
  // What comes behind the class changes nothing of how it lies in memory.
  RIGHT(3, sizeof(Tile<half>) == 32 && sizeof(Tile<int>) == 32 && sizeof(Tile<char>) == 32)
  RIGHT(4, shapes::Block<float, 4>::size == 40 && shapes::Block<float, 5>::size == 5 &&
               shapes::Tile<half>::rows == 2 && shapes::Tile<char>::rows == 3 && shapes::Tile<float>::rows == 1)
}

// A constructor in one address space beside one in another that does nothing, or is constexpr.
struct Sum {
  float all;
  Sum() thread : all(7) {}
  Sum() threadgroup = default;
  Sum(float one) thread : all(one) {}
  constexpr Sum(float one) constant : all(one) {}
};
constant Sum kSum = Sum(5);
kernel void constructors_by_address_space(device int* out [[buffer(0)]], uint lane [[thread_position_in_threadgroup]]) {
  threadgroup Sum shared[4];
  Sum mine, other(2);
  if (lane == 0) shared[1] = mine;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (lane != 0) return;
  RIGHT(0, mine.all == 7 && other.all == 2)
  RIGHT(1, shared[1].all == 7)
  RIGHT(2, kSum.all == 5)
}

// Templates of a class that are specialised among its members.
struct Convert {
  template <typename To, typename From> struct Cast;
  template <typename To, typename From> struct Cast { static To of(From x) { return To(x); } };
  template <typename From> struct Cast<bool, From> { static int of(From x) { return x != 0 ? 10 : 20; } };
  template <> struct Cast<int, float> { static int of(float x) { return int(rint(x)); } };
  template <> struct Cast<bool, float> { static int of(float) { return 30; } };  // of a case of Cast<bool, From>
  template <> class Cast<uint, float> {
   public:
    static uint of(float x) { return x < 0 ? 0u : uint(x) + Cast<int, float>::of(x); }
  };
};
template <typename T> struct Outer {
  template <int N> struct Inner { enum { value = N }; };
  template <> struct Inner<0> { enum { value = 100 + sizeof(T) }; };
};
kernel void specialised_among_members(device int* out [[buffer(0)]]) {
  RIGHT(0, Convert::Cast<int, float>::of(1.75f) == 2 && Convert::Cast<short, float>::of(1.75f) == 1)
  RIGHT(1, Convert::Cast<bool, int>::of(0) == 20 && Convert::Cast<uint, float>::of(2.75f) == 5)
  RIGHT(2, Outer<half>::Inner<0>::value == 102 && Outer<int>::Inner<7>::value == 7)
  RIGHT(3, Convert::Cast<bool, float>::of(0.5f) == 30)
}

// Methods whose result lies where their object lies.
template <typename T, int N> struct Few {
  T all[N];
  T operator[](int i) const thread { return all[i]; }
  const device T& operator[](int i) const device { return all[i]; }
  T first() const { return all[0]; }
  const device T& first() const device { return all[0]; }
  thread T& at(int i) thread { return all[i]; }
  device T& at(int i) device { return all[i]; }
};
kernel void results_by_address_space(device int* out [[buffer(0)]], device Few<int, 2>* few [[buffer(1)]]) {
  Few<int, 2> mine = few[1];
  mine.at(0) = 5;
  few[0].at(1) = 7;
  RIGHT(0, mine[0] == 5 && mine[1] == 4)
  RIGHT(1, few[0][0] == 1 && few[0][1] == 7)
  RIGHT(2, mine.first() == 5 && few[1].first() == 3)
}

kernel void comparisons_in_template_arguments(device int* out [[buffer(0)]]);
template <typename T, typename Small = enable_if_t<sizeof(T) < sizeof(uint)>> int bytes_of(T) { return sizeof(T); }
template <int N, typename Few = enable_if_t<N < 4>> int few() { return N; }
template <int N, bool is_even = N % 2 == 0> struct Half { static constexpr constant int value = is_even ? N / 2 : N; };
kernel void comparisons_in_template_arguments(device int* out [[buffer(0)]]) {
  RIGHT(0, bytes_of(half(1)) == 2)
  RIGHT(1, few<3>() == 3)
  RIGHT(2, Half<6>::value == 3 && Half<7>::value == 7)
}

kernel void colours(device int* out [[buffer(0)]], device const uint* words [[buffer(1)]]) {
  RIGHT(0, pack_float_to_unorm565(float3(1, 0, 0)) == 0xF800 && pack_float_to_unorm565(float3(0, 1, 0)) == 0x7E0)
  RIGHT(1, pack_half_to_unorm565(half3(0, 0, 1)) == 0x1F && unpack_unorm565_to_float(ushort(0xF81F)).y == 0)
  RIGHT(2, pack_float_to_unorm10a2(float4(1, 0, 0, 0)) == 0x3FF && pack_float_to_unorm10a2(float4(0, 0, 1, 1)) == 0xFFF00000)
  RIGHT(3, pack_float_to_srgb_unorm4x8(float4(0.5f, 0, 1, 0.5f)) == 0x80FF00BC)
  bool back = true;
  for (uint i = 0; i < 5; ++i) {
    back &= pack_float_to_unorm10a2(unpack_unorm10a2_to_float(words[i])) == words[i];
    back &= pack_float_to_srgb_unorm4x8(unpack_unorm4x8_srgb_to_float(words[i])) == words[i];
    back &= pack_float_to_unorm565(unpack_unorm565_to_float(ushort(words[i]))) == ushort(words[i]);
  }
  RIGHT(4, back)
}

struct Nothing {};
struct Shared { vector_float2 at; simd_uint1 count; };
kernel void words_of_the_library(device int* out [[buffer(0)]], device atomic_uint* flag [[buffer(1)]]) {
  float2x2 m = float2x2(1, 2, 3, 4);
  m *= m;
  RIGHT(0, m[0][0] == 7 && m[1][1] == 22)
  RIGHT(1, is_standard_layout_v<Nothing> && rank_v<int[2][3]> == 2 && extent_v<int[2][3], 1> == 3 && is_same_v<common_type_t<int, float>, float>)
  RIGHT(2, is_function_v<void(int)> && !is_function_v<int> && is_lvalue_reference_v<thread int&> && alignment_of_v<float4> == 16)
  static_assert(is_trivially_constructible_v<Shared, Shared> && !is_trivially_constructible_v<Shared, int, int>);
  static_assert(is_same_v<add_lvalue_reference_t<void>, void> && is_same_v<add_rvalue_reference_t<int>, int&&>);
  device int* none = NULL;
  RIGHT(3, none == nullptr && UINT32_MAX == 0xFFFFFFFF && INT16_MIN == -32768 && SIZE_MAX > INT64_MAX)
  __builtin_assume(out != nullptr);
  assert(out[0] == 1);
  os_log_default.log_info("%d right", out[0]);
  int sum = 0;
  __attribute__((opencl_unroll_hint(2))) for (int i = 0; i < 4; ++i) sum += i;
  RIGHT(4, sum == 6)
  atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_system);
  Shared shared = {float2(1, 2), 3};
  if (shared.count == 3) atomic_store_explicit(flag, 1, memory_order_relaxed);
}

// A bfloat beside another number: it is the bfloat that is converted.
template <typename T, typename U> float leak(T x, U slope) { return x > T(0) ? x : x * slope; }
kernel void choices_of_bfloats(device int* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  const bool yes = i == 0;
  const bfloat b = bfloat(1.5f), c = bfloat(3);
  RIGHT(0, (yes ? b : 2.0f) == 1.5f && (yes ? 0.1f : b) == 0.1f && sizeof(yes ? b : 1.0f) == 4)
  RIGHT(1, (yes ? b : !yes ? 0.5f : c) == 1.5f && (!yes ? b : yes ? 0.3f : c) == 0.3f)
  RIGHT(2, (yes ? (yes ? 0.7f : b) : c) == 0.7f && sizeof(yes ? b : c) == 2 && (yes ? b : 2.0h) == 1.5f)
  RIGHT(3, leak(bfloat(-2), 0.3f) == -2 * 0.3f && leak(bfloat(-2), bfloat(2)) == -4 && leak(-1.0f, 2) == -2)
  RIGHT(4, (yes ? 7 : b) == 7 && (yes ? b : INFINITY) == 1.5f)
}

// Lengths of vectors that are deduced, declared as another integer than `int`.
template <typename T, uint N>
T total(vec<T, N> v) {
  T sum = 0;
  for (uint i = 0; i < N; ++i) sum += v[i];
  return sum;
}
template <uint N, typename T>
T largest(const thread vec<T, N>& v);
template <uint N>
bool has(vec<int, N> v, int x);
namespace weights {
template <typename T, ushort N = 2>
struct Scale {
  T by;
  template <size_t M>
  vec<T, M> of(vec<T, M> v) const { return v * by * T(M - N); }
};
}  // namespace weights
// Called like one of the library's, with a length of its own type.
namespace apart {
template <typename T, uint N>
struct vec {
  T of[N];
};
template <typename T, uint N>
uint bits(const thread vec<T, N>&) { return N - 3 > 0 ? N : 0; }
}  // namespace apart
template <typename T>
struct Count {
  enum { length = 1 };
};
template <typename T, size_t N>
struct Count<vec<T, N>> {
  enum { length = N };
};
template <const unsigned int C, typename T, ushort R>
uint cells(const thread matrix<T, C, R>& m) {
  return C * 10 + R + uint(m[0][0]);
}
template <uint N>
uint plain() {
  return N - 3 > 0 ? 1 : 0;  // never below zero
}
template <typename T>
vec<T, 2> doubled(vec<T, 2> v) { return v * T(2); }
template <typename T, uint N>
vec<T, N> doubled(vec<T, N> v) { return v * T(2) + T(1); }
kernel void lengths_of_any_integer(device int* ok [[buffer(0)]]) {
  ok[0] = total(float3(1, 2, 3)) == 6 && total(short4(1)) == 4;
  ok[1] = Count<half4>::length == 4 && Count<half>::length == 1;
  ok[2] = cells(float2x3(5.0f)) == 28;
  ok[3] = plain<2>() == 1;
  // Declared ahead of what they are, and as members of templates.
  ok[4] = largest(float3(1, 5, 2)) == 5 && has(int2(3, 4), 4) && !has(int4(3), 4) && has<3>(int3(1), 1) &&
          all(weights::Scale<int>{3}.of(int3(1, 2, 3)) == int3(3, 6, 9)) && doubled(float2(1)).x == 2 &&
          doubled(float4(1)).x == 3 && total<float, 3>(float3(1)) == 3 && apart::bits(apart::vec<int, 2>{}) == 2;
}
template <uint N, typename T>
T largest(const thread vec<T, N>& v) {
  T most = v[0];
  for (uint i = 1; i < N; ++i) most = max(most, v[i]);
  return most;
}
template <uint N>
bool has(vec<int, N> v, int x) {
  for (uint i = 0; i < N; ++i)
    if (v[i] == x) return true;
  return false;
}
