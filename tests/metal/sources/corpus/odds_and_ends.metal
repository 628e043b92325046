// What occurs in one file of ten: specifiers in rare places, operators of rare kinds, names that hide others.
#include <metal_stdlib>
#include <metal_relational>
#include <metal_geometric>
using namespace metal;
#define STRINGIZE_(x) #x
#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_(a, b)
#define ARRAY_COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define FORCE_INLINE inline __attribute__((__always_inline__))
#define NO_INLINE __attribute__((noinline))
#define DEVICE_PTR(T) device T*
typedef uchar byte_t;
typedef device float* float_pointer;
typedef const device half4* __restrict half4_reader;
using index_t = uint;
using shared_t = threadgroup float*;
template <typename T>
using reader = const device T*;
struct alignas(16) Header {
  uint magic;
  ushort version[2];
  union {
    uint all;
    struct {
      uint low : 16, high : 16;
    } parts;
    uchar bytes[4];
  };
  float values[];
};
struct Pair {
  float key;
  uint value;
  constexpr Pair() : key(0), value(0) {}
  constexpr Pair(float k, uint v) : key(k), value(v) {}
  bool operator<(const thread Pair& other) const thread { return key < other.key; }
  Pair operator+(Pair other) const { return {key + other.key, value + other.value}; }
  thread Pair& operator+=(const Pair other) thread { return *this = *this + other; }
  static Pair largest(Pair a, Pair b) { return a < b ? b : a; }
  operator float() const { return key; }
};
enum Flags : uint { kNone = 0, kFirst = 1 << 0, kSecond = 1 << 1, kBoth = kFirst | kSecond };
inline Flags operator|(Flags a, Flags b) { return Flags(uint(a) | uint(b)); }
METAL_FUNC float max(float a, float b, float c, float d) { return metal::max(metal::max(a, b), metal::max(c, d)); }
METAL_FUNC uint min(uint a, ushort b, int) { return a < b ? a : b; }
FORCE_INLINE float clamp01(float x) { return clamp(x, 0.0f, 1.0f); }
NO_INLINE static float slow(float x) { return x * x; }
static inline Pair simd_reduce(Pair p) {
  for (ushort offset = 16; offset; offset >>= 1) {
    Pair other(simd_shuffle_down(p.key, offset), simd_shuffle_down(p.value, offset));
    p = Pair::largest(p, other);
  }
  return p;
}
static void swap(thread float& a, thread float& b) { float t = a; a = b; b = t; }
static void swap(threadgroup float& a, threadgroup float& b) { float t = a; a = b; b = t; }
static void fill(threadgroup float* to, float with, uint n, uint lane) { for (uint i = lane; i < n; i += 32) to[i] = with; }
static void fill(device float* to, float with, uint n, uint lane) { for (uint i = lane; i < n; i += 32) to[i] = with; }
template <typename P>
static float first_of(P p) { return float(p[0]); }
template <typename T, int N>
static constexpr int count_of(thread T (&)[N]) { return N; }
template <bool kCheck, typename T = float>
static T load(const device T* from, uint i, uint n) {
  if (kCheck && i >= n) return T{};
  return from[i];
}
constexpr constant uint kPrimes[] = {2, 3, 5, 7, 11};
constant constexpr const uint kCount = ARRAY_COUNT(kPrimes);
constexpr uint gcd(uint a, uint b) { return b ? gcd(b, a % b) : a; }
constexpr bool is_power(uint n) { return popcount(n) == 1 && clz(n) + ctz(n) == 31; }
static_assert(gcd(12, 18) == 6, "gcd");
static_assert(is_power(64) && !is_power(65), "power");
static_assert(metal::max(3, 4) == 4 && metal::abs(-3) == 3 && clamp(9, 0, 4) == 4, "constants");
static_assert(is_same_v<decltype(1.0h * 2.0h), half> && is_same_v<decltype(half(1) * 2.0f), float>, "types");
constexpr METAL_FUNC float ratio(uint n) { return n == 0 ? 0.0f : 1.0f / float(n); }
constexpr constant float kRatios[4] = {ratio(1), ratio(2), ratio(3), ratio(4)};
constant float kRoot = metal::sqrt(2.0f);
kernel void odds(DEVICE_PTR(float) out [[buffer(0)]], reader<half> in [[buffer(1)]], device Header* header [[buffer(2)]],
                 constant index_t& n [[buffer(3)]], shared_t scratch [[threadgroup(0)]], uint tid [[thread_position_in_grid]],
                 uint lane [[thread_index_in_simdgroup]]) {
  const uint size = n;
  int count_t = int(tid), size_t_of = 3;
  float s = float(count_t * size_t_of) - (count_t) * 2.0f;
  float_pointer p = out + tid;
  half4_reader four = reinterpret_cast<half4_reader>(in);
  s += four[0].x + first_of(p) + first_of(in) + kPrimes[tid % kCount] + CONCAT(k, Root) + kRatios[tid & 3];
  Pair best(float(in[tid]), tid);
  best = simd_reduce(best);
  best += Pair(1.0f, 2);
  s += best + max(1, 2, 3, s) + min(3u, ushort(2), 0) + clamp01(s) + slow(s) + load<true>(out, tid, size) + load<false, half>(in, tid, size);
  fill(scratch, 0.f, 32, lane);
  simdgroup_barrier(mem_flags::mem_threadgroup);
  if (lane == 0) swap(scratch[0], scratch[1]);
  float a = 1, b = 2;
  swap(a, b);
  float list[3] = {a, b};
  s += count_of(list) + (kFirst | kSecond) + (STRINGIZE_(x)[0] == 'x');
  header->parts.low = 3;
  header->version[1] = header[0].bytes[2];
  header->values[0] = s;
  thread float* q = &list[1];
  *q++ = 3, *--q += 1;
  s += q[0] + *(q + 1) + -*q + !*q + ~uint(*q);
  const float3 v = {s, s, s};
  const auto w = float4(v, 1).wzyx;
  for (auto i = 0u; i < 4; i++) s += w[i] * (i & 1 ? -1 : +1);
  s = tid > size ? s : tid == size ? -s : s > 0 ? 1 / s : 0;
  bool done = false;
  for (; !done;) { done = s < 1e30f; s *= 2; }
  uint bits = as_type<uint>(s), mask = 0xFFu;
  bits &= ~mask, bits |= mask >> 4, bits ^= bits << 13, bits ^= bits >> 17, bits <<= 1;
  out[tid] = as_type<float>(bits) + float(sizeof(Header)) + float(int8_t(-1)) + float(ulong(bits) * 3ul >> 32ul);
}
kernel void shadows(device float* out [[buffer(0)]], constant float* exp [[buffer(1)]], uint index [[thread_position_in_grid]]) {
  float min = exp[index], max = exp[index + 1], half_t = 2, level = 1, component = 0.5f, sign = -1, distance = 1, array = 2;
  float access = min * max + half_t * level - (component) * sign / distance;
  out[index] = access * array;
}
[[max_total_threads_per_threadgroup(1024)]]
[[kernel]] void early_return(device float* out, constant uint& n, uint3 at [[thread_position_in_grid]], uint3 tg [[threadgroups_per_grid]]) {
  const uint i = at.x;
  if (i >= n) { return; }
  if (tg.x == 0) { out[i] = 0; return; } else if (tg.y == 1) { out[i] = 1; }
  while (true) { if (out[i]-- < 0) break; }
}
kernel void strided(device const packed_float4* in [[buffer(0)]], device packed_half2* out [[buffer(1)]], device packed_ushort4* words [[buffer(2)]], uint2 gid [[thread_position_in_grid]], uint2 grid [[threads_per_grid]]) {
  const uint i = gid.y * grid.x + gid.x;
  float4 v = float4(in[i]);
  out[i] = packed_half2(half2(v.xy * v.zw));
  words[i] = packed_ushort4(ushort4(v));
  words[i][2] = as_type<ushort>(half(v.x));
  words[i].w = 3;
}
