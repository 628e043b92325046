// loads
#include <metal_stdlib>
using namespace metal;
// Overloads that the library does not have, and functions that it is not asked for.
inline float2 mix(float2 low, float2 high, bool part) { return part ? high : low; }
namespace own {
inline float max(float a, float b) { return a < b ? b : a; }
inline float twice_the_larger(float a, float b) { return 2 * max(a, b); }
}  // namespace own
struct Angle {
  float turns;
  operator float() const thread { return turns; }
};
enum Kind { kSmall = 1, kLarge = 8 };
kernel void computed(device float* x, device half* h, device int* n, device bfloat* b,
                     uint at [[thread_position_in_grid]]) {
  float y = pow(x[at], 2) + pow(2, x[at]) + max(x[at], 0.0f) + fma(x[at], x[at], 1) + ldexp(1.0f, n[at]);
  y += ldexp(x[at], 2u) + select(x[at], 1.0f, n[at] > 1) + smoothstep(0.0f, 1.0f, x[at]) + mix(1, y, x[at]);
  h[at] = max(h[at], 0.0h) + pow(h[at], 2) + exp(h[at]) + clamp(h[at], -1.0h, 1.0h) + select(h[at], 1.0h, true);
  n[at] = clamp(n[at], 0, 5) + max(n[at], true) + min(kLarge, n[at]) + abs(short(n[at])) + mul24(ushort(at), n[at]);
  n[at] += max(uchar(at), uchar(3)) + min(long(at), 7l) + popcount(at) + int(extract_bits(at, 3, 4)) + ilogb(x[at]);
  b[at] = max(b[at], b[at + 1]) + exp(b[at]) + abs(b[at]);
  y += max(b[at], 0.5f) + isnan(h[at]) + fract(x[at]) + own::twice_the_larger(y, 2);
  float4 v = max(float4(y), 0.0f) + clamp(float4(y), 0, 1) + mix(float4(y), 1, 0.5f) + pow(float4(y), 2.0f);
  int exponent;
  float whole, cosine;
  y += frexp(y, exponent) + modf(y, whole) + sincos(y, cosine) + cosine + whole + exponent;
  const Angle angle = {0.25f};
  y += max(float3(y), float3(1)).z + mix(float2(y), float2(1), true).y;
  x[at] = y + v.x + metal::precise::sin(angle) + fast::cos(angle);
}
