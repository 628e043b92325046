// Vectors and small matrices in registers: conversions, columns and elements that are assigned to, swizzles.
#include <metal_stdlib>
using namespace metal;

METAL_FUNC uchar2 nibbles(uchar byte, bool swapped) {
  return swapped ? uchar2{uchar(byte >> 4), uchar(byte & 15)} : uchar2{uchar(byte & 15), uchar(byte >> 4)};
}
METAL_FUNC short2 nearer(short2 a, short2 b) {
  return a.x * a.x + a.y * a.y < b.x * b.x + b.y * b.y ? a : b;
}
METAL_FUNC ulong2 turned(uint2 v, bool turn) {
  if (turn) v = v.yx;
  return ulong2(v);
}
template <typename T4x4, typename T>
METAL_FUNC void fill(thread T4x4 &m, T step) {
  for (int k = 0; k < 16; ++k) m[k / 4][k % 4] = step * T(k);
}
template <typename T, int N>
METAL_FUNC T element_sum(vec<T, N> v) {
  using row_type = vec<T, N>;
  const row_type ones = row_type(1);
  T sum = 0;
  for (int k = 0; k < N; ++k) sum += v[k] * ones[k];
  return sum;
}

kernel void registers(device const half4x4 *halves [[buffer(0)]], device const float4x4 *floats [[buffer(1)]],
                      device float2x4 *tall [[buffer(2)]], device float *out [[buffer(3)]],
                      device float4x4 *sums [[buffer(4)]], device const char *bytes [[buffer(5)]]) {
  half4x4 narrow = (half4x4)(*floats);
  const float4x4 wide = (float4x4) *halves;
  float4x4 filled;
  fill(filled, 0.5f);
  fill(narrow, half(2));
  narrow[1][2] = 100;
  sums[0] = filled + (float4x4)narrow;
  sums[1] = wide;
  sums[2] = float4x4((half4x4)floats[0]);
  const float4 quarter = (float4)(*(device const half4 *)(bytes + 8));
  out[0] = quarter.x + 10 * quarter.w;
  const float2x4 was = *tall;
  (*tall)[1] = was[0];
  tall[0][0] = was[1].wzyx;

  const uchar2 pair = nibbles(0x4A, true), back = nibbles(0x4A, false);
  out[1] = pair.x * 1000 + pair.y * 10 + back.x - back.y;
  short2 at(3, 20 / 4), limit = short2(uint(4), 2L);
  limit -= at - short2{1, short(1.9f)};
  out[2] = limit.x * 10 + limit.y;
  out[3] = limit.x > 0 && limit.y < 0 ? nearer(at, limit).x : -100;
  const ulong2 far = turned(uint2(ushort2(7, 9)), true);
  const long2 near = long2(far) - long2(8);
  out[4] = far.x * 10 + far.y;
  out[5] = near.x * 10 + near.y;
  out[6] = element_sum(vec<half, 3>(1, 2, 3.5h)) + element_sum(float4(filled[3]));
}
