// Vectors of all lengths, components read and written, packed ones, matrices.
#include <metal_stdlib>
using namespace metal;
typedef half half8 __attribute__((ext_vector_type(8)));
typedef float float8 __attribute__((__ext_vector_type__(8)));
typedef uchar uchar16_t __attribute__((ext_vector_type(16)));
using short8 = short __attribute__((ext_vector_type(8)));
struct packed_pair {
  packed_float3 a;
  float b;
  packed_half4 c;
  packed_uchar4 d;
  packed_short2 e;
};
static float8 widen(half8 x) {
  float8 r;
  r.lo = float4(x.lo);
  r.hi = float4(x.hi);
  return r;
}
kernel void components(device float4* v [[buffer(0)]], device half4* h [[buffer(1)]], device packed_pair* p [[buffer(2)]],
                       device packed_float3* three [[buffer(3)]], uint i [[thread_position_in_grid]]) {
  float4 a = v[i];
  a.x = 1;
  a.yz = a.zy;
  a.xyz *= 2.0f;
  a.rgba = a.bgra;
  a[3] += a.w;
  a.xy = float2(1, 2);
  a.s0 = 3.0f;
  a.s1 += a.s3;
  v[i].zw = a.xy;
  v[i].x += 1;
  v[i][1] = 2;
  v[i].xyzw = a.wzyx;
  float3 b(a.xy, 1), c = float3(1), d = {1, 2, 3};
  b = float3(a.x, a.yz);
  c += b.zyx * d - -b;
  float2 e = a.xy + b.yz, f{e};
  e = fma(e, f, e.yx);
  half4 g = half4(a);
  g = half4(half2(e), g.zw);
  g.xy = half2(f);
  h[i] = g + half4(h[i].wzyx) * 2.0h;
  p[i].a = b;
  p[i].a[0] += 1;
  p[i].b = p[i].a.y + float3(p[i].a).z;
  p[i].c = packed_half4(g);
  p[i].d = packed_uchar4(1, 2, 3, 4);
  p[i].e = packed_short2(short2(e));
  three[i] = packed_float3(c) * 2;
  float3 t = three[i];
  t.x = -t.x;
  three[i] = t;
  const bool any_one = any(a == a.wzyx) || all(b < c) || a.x == b.x;
  int4 n = int4(a) % 3 + (int4(1, 2, 3, 4) << 1);
  n ^= n >> 2;
  n.xy |= 1;
  uint2 u = uint2(n.xy) & 0xFFu;
  bool4 m = a > 1.0f && !(a < 0.0f);
  uchar4 bytes = uchar4(n);
  char4 signed_bytes = as_type<char4>(bytes);
  a = select(a, float4(0), m) + float4(bytes) + float4(signed_bytes) + float(u.x);
  v[i] = any_one ? a : float4(u.xyxy);
  v[i + 1] = float4(1, b) + float4(e, f) + float4(b, 1) + float4(1, e, 2) + float4(dot(a, a));
  thread float* elements = (thread float*)&a;
  elements[2] = 1;
  v[i + 2] = vec<float, 4>(a) + vec<half, 4>(g).x + a.xxxx;
  ++v[i];
}
kernel void wide(device half8* x [[buffer(0)]], device float* out [[buffer(1)]], device uchar16_t* bytes [[buffer(2)]],
                 uint i [[thread_position_in_grid]]) {
  half8 a = x[i];
  a.lo.x = 1;
  a.lo.yz = half2(2);
  a.hi.w += 1.0h;
  a.s7 = 2;
  a.even = a.odd;
  a.lo = a.hi;
  a[3] = 4.0h;
  float8 f = widen(a) * 2.0f + 1.0f;
  f.s01 = f.s67;
  short8 s = short8(1);
  s.lo += short4(2);
  bytes[i].sf = bytes[i].s0;
  bytes[i].lo.lo = uchar4(1);
  float8 g = {1, 2, 3, 4, 5, 6, 7, 8};
  float4 __attribute__((aligned(16))) aligned = f.lo;
  half __attribute__((ext_vector_type(8))) direct = a;
  x[i] = direct + a * (half8)2.0h;
  out[i] = f.s0 + g.s7 + f[7] + f.hi.w + f.s4567.x + s.s0 + aligned.x + float(a.lo.x) + sizeof(half8);
}
kernel void matrices(device float4x4* m [[buffer(0)]], device half4x4* h [[buffer(1)]], device float3x3* t [[buffer(2)]],
                     device float* out [[buffer(3)]], constant float2x4& c [[buffer(4)]], uint i [[thread_position_in_grid]]) {
  float4x4 a = m[i], b(1.0f), z = float4x4(0);
  float4x4 k(float4(1), float4(2), float4(3), float4(4));
  a[0] = float4(1, 2, 3, 4);
  a[1][2] = 5;
  a[2].xy = a[0].zw;
  a = a * b + k - z;
  a *= 2.0f;
  a += k;
  float4 v = a * float4(1) + float4(2) * a;
  float3x3 s = transpose(t[i]) * t[i] * 0.5f;
  t[i] = s;
  float2x4 d = c;
  float4x2 e = transpose(d);
  float2x2 f = e * d;
  half4x4 g = half4x4(a);
  h[i] = g * half4x4(1.0h);
  const float3x3 r = float3x3(float3(1, 0, 0), float3(0, 1, 0), {0, 0, 1});
  matrix<float, 4, 4> same = a;
  m[i] = -same;
  m[i + 1] = float4x4(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
  const thread float4x4& ref = a;
  out[i] = determinant(a) + determinant(s) + v.x + f[0][0] + r[2].z + ref[3].w + float(h[i][0][1]) + (a[0] * b[1]).x + dot(k[3], v);
}
