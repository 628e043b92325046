// Pairs of numbers whose conversions address spaces alone tell apart, in a class template, and say that they throw
// nothing; what is asserted of a pair that no kernel uses; function constants that are called constexpr; and a helper
// that no kernel uses, which asks the library for what it has not, beside kernels whose word is an attribute.
// function_constants: 0 = true, 1 = 3
#include <metal_stdlib>
using namespace metal;
#define FIXED static constant constexpr const
FIXED bool turned [[function_constant(0)]];
FIXED int rounds [[function_constant(1)]];

template <typename T>
struct Pair {
  T first, second;
  constexpr Pair(T a, T b) thread : first(a), second(b) {}
  constexpr Pair() thread : first(0), second(0) {}
  constexpr Pair() threadgroup : first(0), second(0) {}
  constexpr operator vec<T, 2>() const thread noexcept { return vec<T, 2>(first, second); }
  constexpr operator vec<T, 2>() const device noexcept(true) { return vec<T, 2>(first, second); }
  constexpr operator vec<T, 2>() const constant noexcept { return vec<T, 2>(first, second); }
};
using Halves = Pair<half>;
using Floats = Pair<float>;
static_assert(sizeof(Halves) == 2 * sizeof(half));
static_assert(sizeof(Floats) == 2 * sizeof(float));

inline ushort bits_of(float x) { return as_type<ushort>(x); }

[[kernel]] void sums(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  Floats pair(1, 2);
  float2 both = pair;
  for (int j = 0; j < rounds; ++j) both = turned ? both.yx : both;
  out[i] = both.x;
}
[[max_total_threads_per_threadgroup(64)]] [[kernel]] void other(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = 1; }
