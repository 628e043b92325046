#include <metal_stdlib>
using namespace metal;

// Members that are called like components.
struct Planes {
  float2 xy;
  half rg;
};

template <typename T, int N>
T added(vec<T, N> v) {
  T sum = 0;
  for (int i = 0; i < N; ++i) sum += v[i];
  return sum;
}
template <typename T>
vec<T, 2> turned(vec<T, 2> v) { return v.yx; }

kernel void swizzles(device const float4& in [[buffer(0)]], device float* out [[buffer(1)]],
                     uint i [[thread_position_in_grid]]) {
  const float4 v = in;
  const half4 h = half4(v);
  Planes planes = {float2(50, 60), 7.0h}, other = {float2(70, 80), 9.0h};
  const float2 pair = i & 1 ? v.zw : v.xy;
  const half2 three = i == 0 ? h.xy : i == 1 ? (h.zy) : -h.wx;
  device float* o = out + 8 * i;
  o[0] = pair.x * 10 + pair.y;
  o[1] = three.x * 10 + three.y;
  o[2] = (i & 1 ? v.zwx : v.xyz).y + 2 * -v.wzyx.x;
  o[3] = v.zw.yx.x * 100 + (float)h.wzyx.xy.y * 10 + v.rgba.bgr.g;
  o[4] = added(v.xyz) + added(h.xw) * turned(v.xy).x;
  float4 w = v;
  w.zw[1] = 5;
  w.wx[i & 1] += v.zw[1] * v.zx[0];
  o[5] = w.w * 100 + w.x;
  planes.xy.x += 1;
  o[6] = (i & 1 ? planes.xy : other.xy).y + planes.xy.x * v.wz.y + (i & 1 ? planes.rg : other.rg);
  o[7] = dot(i & 1 ? v.xyz : v.zyx, i & 2 ? v.xxx : v.www);
}
