// Every function of <metal_math>, <metal_integer>, <metal_relational>, <metal_geometric>, <metal_common> on
// scalars and vectors, plain and in both namespaces.
#include <metal_stdlib>
using namespace metal;

kernel void scalars(device const float* a [[buffer(0)]], device float* out [[buffer(1)]],
                    uint i [[thread_position_in_grid]]) {
  float x = a[3 * i], y = a[3 * i + 1], z = a[3 * i + 2], s = 0;
  int e;
  float c;
  s += acos(x) + acosh(x) + asin(x) + asinh(x) + atan(x) + atan2(y, x) + atanh(x) + ceil(x) + copysign(x, y);
  s += cos(x) + cosh(x) + cospi(x) + divide(x, y) + exp(x) + exp2(x) + exp10(x) + fabs(x) + abs(x) + fdim(x, y);
  s += floor(x) + fma(x, y, z) + fmax(x, y) + max(x, y) + fmax3(x, y, z) + max3(x, y, z) + fmedian3(x, y, z);
  s += median3(x, y, z) + fmin(x, y) + min(x, y) + fmin3(x, y, z) + min3(x, y, z) + fmod(x, y) + fract(x);
  s += frexp(x, e) + ilogb(x) + ldexp(x, e) + log(x) + log2(x) + log10(x) + modf(x, c) + nextafter(x, y) + pow(x, y);
  s += powr(x, y) + rint(x) + round(x) + rsqrt(x) + sin(x) + sincos(x, c) + sinh(x) + sinpi(x) + sqrt(x) + tan(x);
  s += tanh(x) + tanpi(x) + trunc(x) + clamp(x, 0.0f, 1.0f) + mix(x, y, z) + saturate(x) + sign(x);
  s += smoothstep(0.f, 1.f, x) + step(x, y) + isfinite(x) + isinf(x) + isnan(x) + isnormal(x) + isordered(x, y);
  s += isunordered(x, y) + signbit(x) + select(x, y, z > 0) + mad(x, y, z);
  s += precise::exp(x) + fast::exp(x) + metal::precise::sin(x) + metal::fast::cos(x) + precise::sqrt(x) +
       precise::divide(x, y) + fast::divide(x, y) + fast::log(x) + precise::pow(x, y) + fast::tanh(x) + fast::sincos(x, c) +
       precise::tanh(x) + fast::rsqrt(x) + fast::fmin(x, y) + fast::clamp(x, 0.f, 1.f) + fast::max(x, y) + precise::fma(x, y, z);
  half h = half(x);
  s += exp(h) + max(h, half(0)) + fma(h, h, h) + clamp(h, 0.0h, 1.0h) + sqrt(h) + fmin(h, 2.0h) + pow(h, 2.0h) + abs(h);
  bfloat b = bfloat(x);
  s += float(b) + exp(float(b)) + max(b, bfloat(0));
  out[i] = s + e + c;
}
kernel void vectors(device const float4* a [[buffer(0)]], device float4* out [[buffer(1)]],
                    uint i [[thread_position_in_grid]]) {
  float4 x = a[i], y = a[i + 1], z = a[i + 2], s = 0;
  s += exp(x) + max(x, y) + max(x, 0.0f) + min(x, 1.f) + clamp(x, 0.0f, 1.0f) + clamp(x, y, z) + mix(x, y, 0.5f) + mix(x, y, z);
  s += fma(x, y, z) + pow(x, y) + saturate(x) + floor(x) + fract(x) + sign(x) + step(y, x) + smoothstep(0.0f, 1.0f, x);
  s += select(x, y, x < y) + select(x, y, bool4(true, false, true, false)) + select(0.0f, x, isnan(x)) + copysign(x, y);
  s += normalize(x) + reflect(x, y) + faceforward(x, y, z) + refract(x, y, 1.5f) + dot(x, y) + length(x) + distance(x, y);
  s += length_squared(x) + distance_squared(x, y) + float4(cross(x.xyz, y.xyz), 0) + fast::normalize(x) + precise::normalize(x);
  s += float4(any(x > y), all(x < y), any(isinf(x)), all(bool4(x)));
  s += rsqrt(x) + fabs(x) + abs(x) + fmod(x, y) + trunc(x) + rint(x) + fast::exp(x) + precise::rsqrt(x) + float4(isnan(x)) + modf(x, y);
  int4 e;
  s += frexp(x, e) + ldexp(x, e) + float4(ilogb(x)) + sincos(x, z) + nextafter(x, y) + fmax3(x, y, z) + median3(x, y, z);
  half4 h(x);
  s += float4(exp(h)) + float4(max(h, half4(0.h))) + float4(h * 2.0h) + dot(h, h) + float4(select(h, half4(0), h > half4(1)));
  half2 hh = half2(x.xy) + half2(x.x);
  s.xy += float2(fma(hh, hh, hh));
  out[i] = s;
}
kernel void integers(device const uint* a [[buffer(0)]], device uint* out [[buffer(1)]], device const int* b [[buffer(2)]],
                     uint i [[thread_position_in_grid]]) {
  uint x = a[i], y = a[i + 1], z = a[i + 2], s = 0;
  int p = b[i], q = b[i + 1];
  s += abs(p) + absdiff(x, y) + absdiff(p, q) + addsat(x, y) + addsat(p, q) + clamp(x, 1u, 7u) + clamp(p, -3, 3) + clz(x) + ctz(x);
  s += extract_bits(x, 3, 5) + extract_bits(p, 3, 5) + insert_bits(x, y, 2u, 4u) + hadd(x, y) + rhadd(p, q) + mad24(p, q, p) + mul24(x, y);
  s += madhi(x, y, z) + mulhi(x, y) + mulhi(p, q) + madsat(x, y, z) + max(x, y) + max3(x, y, z) + median3(x, y, z) + min(p, q) + min3(p, q, p);
  s += popcount(x) + reverse_bits(x) + rotate(x, 7u) + subsat(x, y) + subsat(p, q) + select(x, y, x > y) + sign(float(p));
  ushort t = x;
  uchar u = y;
  ulong l = ((ulong)x << 32) | y;
  s += popcount(t) + clz(u) + mulhi(l, l) + ctz(l) + rotate(t, ushort(3)) + max(t, ushort(7)) + min(u, uchar(9)) + abs(short(t)) + popcount(l);
  uint4 v(x, y, z, s);
  int2 w = int2(p, q);
  s += dot(float4(v), float4(1)) + popcount(v).x + clz(v).y + max(v, 3u).z + (v >> 2).w + (v & 0xFFu).x + abs(w).y + (w << 3).x + clamp(w, int2(-1), int2(1)).x;
  s += as_type<uint>(as_type<float>(x)) + as_type<uint>(as_type<half2>(y)) + as_type<uchar4>(z).w + as_type<ushort2>(x).y + as_type<uint2>(l).x + as_type<ulong>(uint2(x, y));
  s += uint(as_type<short4>(l).z) + uint(as_type<half>(t)) + uint(as_type<char4>(x)[2]) + as_type<uint>(char4(1, 2, 3, 4));
  s += pack_float_to_unorm4x8(float4(0.5f)) + pack_half_to_snorm2x16(half2(0.25h)) + uint(unpack_unorm4x8_to_float(x).y * 255) + uint(unpack_snorm2x16_to_half(y).x) + pack_float_to_snorm4x8(unpack_snorm4x8_to_float(z)) + pack_float_to_unorm2x16(unpack_unorm2x16_to_float(z));
  out[i] = s;
}
