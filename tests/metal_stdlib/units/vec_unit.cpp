// The vector types: layout, constructors, components, swizzles, operators.
#include "assay/metal.h"
#include "tests/metal_stdlib/units/check.h"

using namespace metal;

static_assert(sizeof(float2) == 8 && alignof(float2) == 8 && sizeof(float3) == 16 && alignof(float3) == 16,
              "");
static_assert(sizeof(half3) == 8 && alignof(half4) == 8 && sizeof(char3) == 4 && sizeof(bool2) == 2, "");
static_assert(sizeof(ulong4) == 32 && alignof(ulong3) == 32 && sizeof(bfloat4) == 8, "");
static_assert(sizeof(packed_float3) == 12 && alignof(packed_float3) == 4 && sizeof(packed_half3) == 6, "");
static_assert(sizeof(float4x4) == 64 && sizeof(half4x4) == 32 && sizeof(float3x3) == 48 &&
                  sizeof(float2x3) == 32,
              "");
static_assert(is_same_v<decltype(float2(1) < float2(2)), bool2> && is_same_v<decltype(!int3(1)), bool3>, "");
constexpr float4 kTable[2] = {float4(1, 2, 3, 4), 5};
static_assert(kTable[0].y == 2 && kTable[1].w == 5, "");
static_assert(as_type<half>(ushort(0x3C00)) == half(1), "");

// Names that are the kernel's to give, next to `using namespace metal`: the library has such helpers inside.
struct common {};
struct filled {};
struct four {};
typedef int wide;
template <class T>
static T reduce(T a, T b) {
  return a + b;
}
template <class T>
static T gather(const T* from) {
  return *from;
}
static int scan(float4 v) { return int(v.x); }
static half4 convert(float4 v) { return half4(v); }
static float2 widen(half2 v) { return float2(v); }

extern "C" void vec_constructors() {
  CHECK(all(float4(1) == float4(1, 1, 1, 1)));
  CHECK(all(float4(float2(1, 2), 3, 4) == float4(1, 2, 3, 4)));
  CHECK(all(float4(1, float2(2, 3), 4) == float4(1, 2, 3, 4)));
  CHECK(all(float4(1, 2, float2(3, 4)) == float4(1, 2, 3, 4)));
  CHECK(all(float4(float2(1, 2), float2(3, 4)) == float4(1, 2, 3, 4)));
  CHECK(all(float4(float3(1, 2, 3), 4) == float4(1, 2, 3, 4)));
  CHECK(all(float4(1, float3(2, 3, 4)) == float4(1, 2, 3, 4)));
  CHECK(all(int3(float3(1.9f, -1.9f, 0)) == int3(1, -1, 0)));
  CHECK(all(half4(uint4(65535, 1, 2, 2049)) == half4(INFINITY, 1, 2, 2048)));
  CHECK(all((float2)(3) == float2(3)) && all((half2)float2(1.5f) == half2(1.5f)));
  CHECK(all(float3(half4(1, 2, 3, 4).zyx) == float3(3, 2, 1)));
  CHECK(all(bfloat2(1) == bfloat2(1.0f, 1.0f)));
  const float4 zero = {};
  const float4 scalar = 0.5f;
  const int2 braces{1, 2};
  const float4 array[2] = {0, float4(1)};
  CHECK(all(zero == 0) && all(scalar == 0.5f) && braces.y == 2 && array[0].z == 0 && array[1].z == 1);
}

extern "C" void vec_swizzles_read() {
  const float4 v(1, 2, 3, 4);
  CHECK(all(v.wzyx == float4(4, 3, 2, 1)) && all(v.xxyy == float4(1, 1, 2, 2)) && all(v.yz == float2(2, 3)));
  CHECK(all(v.rgb == v.xyz) && v.a == 4 && all(v.ba == v.zw) && all(v.gggg == float4(2)));
  CHECK(all(v.xy + v.zw == float2(4, 6)) && all(-v.xy == float2(-1, -2)) && all(2 * v.yx == float2(4, 2)));
  CHECK(dot(v.xyz, v.zyx) == 10 && max(v.xy, v.yx).x == 2 && all(v.xy < v.yz));
  const auto copy = v.zw;
  CHECK(all(copy == float2(3, 4)) && all(float4(copy, v.xy) == float4(3, 4, 1, 2)));
  CHECK(as_type<ulong>(v.xy) == as_type<ulong>(float2(1, 2)));
  CHECK(float2(1, 2).yx.x == 2 && all(int3(1, 2, 3).zzx == int3(3, 3, 1)));
}

extern "C" void vec_swizzles_written() {
  float4 v(1, 2, 3, 4);
  v.xy = v.yx;
  CHECK(all(v == float4(2, 1, 3, 4)));
  v.xyzw = v.wzyx;
  CHECK(all(v == float4(4, 3, 1, 2)));
  v.zw += v.xy;
  CHECK(all(v == float4(4, 3, 5, 5)));
  v.xz *= 2;
  CHECK(all(v == float4(8, 3, 10, 5)));
  v.rgb = 0;
  CHECK(all(v == float4(0, 0, 0, 5)));
  float4 u(1, 2, 3, 4);
  v.xy = u.xy;  // the same type of swizzle: two components and not the whole storage
  CHECK(all(v == float4(1, 2, 0, 5)));
  v.wx = float2(7, 8);
  CHECK(v.w == 7 && v.x == 8);
  uint3 g(1, 2, 3);
  g.xy <<= 1;
  g.z |= 4;
  CHECK(all(g == uint3(2, 4, 7)));
  v[2] = 9;
  v.y++;
  CHECK(all(v == float4(8, 3, 9, 7)));
}

extern "C" void vec_operators() {
  const int4 a(7, -7, 9, 0), b(2, 2, -4, 5);
  CHECK(all(a + b == int4(9, -5, 5, 5)) && all(a - b == int4(5, -9, 13, -5)) &&
        all(a * b == int4(14, -14, -36, 0)));
  CHECK(all(a / b == int4(3, -3, -2, 0)) && all(a % b == int4(1, -1, 1, 0)) && all(~a == -a - 1));
  CHECK(all((a & 3) == int4(3, 1, 1, 0)) && all((a | 1) == int4(7, -7, 9, 1)) && all((a ^ a) == 0));
  CHECK(all((a != b) == bool4(true)) && all((a >= b) == bool4(true, false, true, false)));
  CHECK(all((a > 0 && b > 0) == bool4(true, false, false, false)) && any(!(a > 0 || b > 0)) == false);
  CHECK(all(1.0f / float2(2, 4) == float2(0.5f, 0.25f)) && all(half2(1, 2) * 2.0f == half2(2, 4)));
  int2 c(1, 2);
  CHECK(all(c++ == int2(1, 2)) && all(++c == int2(3, 4)) && all(c-- == int2(3, 4)) && all(--c == int2(1, 2)));
  c += 1, c *= int2(2, 3), c -= 1, c /= 2, c %= 3, c |= 4, c &= 6, c ^= 1;
  CHECK(all(c == int2(5, 5)));
  CHECK(all(+float2(-0.0f) == float2(0)) && signbit((-float2(0)).x));
}

extern "C" void vec_shifts_by_less_than_the_width() {
  CHECK(all((uint2(1) << uint2(1, 31)) == uint2(2, 0x80000000)));
  CHECK(all((int2(-8) >> 2) == int2(-2)) && all((int2(-8) >> 31) == int2(-1)));
  CHECK(all((ushort2(1) << 15) == ushort2(0x8000)) && all((uchar2(128) >> 7) == uchar2(1)));
  CHECK(all((ulong2(1) << 63) == ulong2(0x8000000000000000ul)) && all((ulong2(1) << 0) == ulong2(1)));
}

extern "C" void vec_small_integers_wrap() {
  CHECK(all(uchar2(200) + uchar2(100) == uchar2(44)) && all(ushort2(1) - ushort2(2) == ushort2(65535)));
  CHECK(all(char2(127) + char2(1) == char2(-128)));
}

extern "C" void vec_packed() {
  packed_float3 p(1, 2, 3);
  float3 v = p;
  p += v;
  p.z = 0;
  CHECK(all(p == float3(2, 4, 0)) && all(p * 2 == float3(4, 8, 0)) && p[1] == 4);
  p = v.zyx;
  CHECK(all(float3(p) == float3(3, 2, 1)) && all(max(p, float3(2)) == float3(3, 2, 2)) &&
        all(p.xy == float2(3, 2)));
  const packed_half4 h = half4(1, 2, 3, 4);
  CHECK(all(float4(half4(h)) == float4(1, 2, 3, 4)));
  alignas(4) char bytes[17] = {};
  *(packed_float3*)(bytes + 4) = float3(1, 1, 1);
  CHECK(bytes[3] == 0 && bytes[7] == 0x3f && bytes[15] == 0x3f && bytes[16] == 0);
}

extern "C" void vec_as_type() {
  CHECK(as_type<uint>(1.0f) == 0x3F800000 && as_type<float>(0x40000000u) == 2.0f);
  CHECK(all(as_type<half2>(0x3C004000u) == half2(2, 1)) && as_type<ushort>(half(-0.0f)) == 0x8000);
  CHECK(all(as_type<uchar4>(0x04030201u) == uchar4(1, 2, 3, 4)) &&
        as_type<uint>(uchar4(1, 2, 3, 4)) == 0x04030201u);
  CHECK(all(as_type<half4>(uint2(0x3C003C00, 0x3C003C00)) == half4(1)));
  CHECK(as_type<ushort>(bfloat(1.0f)) == 0x3F80);
  // The magic bias: nibbles 0 and 4 of a word as halves 1024 + n.
  const half2 pair = as_type<half2>((0x87654321u & 0x000F000F) | 0x64006400) - half2(1024);
  CHECK(all(pair == half2(1, 5)));
}

extern "C" void vec_matrices() {
  float4x4 m(2);
  m[3] = float4(1, 2, 3, 1);
  CHECK(all(m * float4(1, 1, 1, 1) == float4(3, 4, 5, 1)) &&
        all(float4(1, 1, 1, 1) * m == float4(2, 2, 2, 7)));
  const float4x4 square = m * m;
  CHECK(all(square[3] == float4(3, 6, 9, 1)) && square[0][0] == 4 &&
        all(transpose(m)[0] == float4(2, 0, 0, 1)));
  const float2x3 a(float3(1, 2, 3), float3(4, 5, 6));
  const float3x2 b = transpose(a);
  CHECK(all(b[2] == float2(3, 6)) && (b * a)[0][0] == 14 && (a * b)[2][2] == 45);
  CHECK(determinant(float2x2(1, 2, 3, 4)) == -2 && determinant(m) == 8 && determinant(float3x3(2)) == 8);
  const half4x4 h(m);
  CHECK(all(h[3] == half4(1, 2, 3, 1)) && float4x4(h) == m && (m + m - m * 2.0f)[3][1] == 0 &&
        (2.0f * m)[0][0] == 4);
  m *= 0.5f;
  m[1][2] += 3;
  CHECK(m[0].x == 1 && m[1].z == 3 && (-m)[1].z == -3);
}

extern "C" void vec_helper_names_are_free() {
  const wide two = 2;
  const float4 v(1, 2, 3, 4);
  CHECK(reduce(v, v).w == 8 && gather(&v).x == 1 && scan(v) == 1 && convert(v).y == two &&
        widen(half2(3)).x == 3);
  CHECK(sizeof(common) + sizeof(filled) + sizeof(four) == 3);
}

template <int N>
static void compare_with_scalars(uint seed) {
  vec<half, N> a, b;
  for (int i = 0; i < N; ++i) {
    seed = seed * 1664525 + 1013904223;
    a[i] = as_type<half>(ushort(seed >> 16));
    seed = seed * 1664525 + 1013904223;
    b[i] = as_type<half>(ushort(seed >> 16));
  }
  const vec<half, N> sum = a + b, difference = a - b, product = a * b, quotient = a / b,
                     back(vec<float, N>(a) * 1.1f);
  for (int i = 0; i < N; ++i) {
    const auto same = [](half x, half y) {
      return as_type<ushort>(x) == as_type<ushort>(y) || (isnan(x) && isnan(y));
    };
    CHECK(same(sum[i], half(a[i] + b[i])) && same(difference[i], half(a[i] - b[i])));
    CHECK(same(product[i], half(a[i] * b[i])) && same(quotient[i], half(a[i] / b[i])));
    CHECK(same(back[i], half(float(a[i]) * 1.1f)));
  }
}
extern "C" void vec_halves_equal_scalar_halves() {
  for (uint seed = 0; seed < 20000; ++seed) {
    compare_with_scalars<2>(seed);
    compare_with_scalars<3>(seed);
    compare_with_scalars<4>(seed);
  }
}
