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

typedef half half8 __attribute__((ext_vector_type(8)));
typedef int int16v __attribute__((ext_vector_type(16)));
template <typename V> V raised(V v) { v.xy.x += 1; v.yx += 10; return v; }

// Parts that are changed, each of a vector of its own.
kernel void parts(device const float4& in [[buffer(0)]], device float4* out [[buffer(1)]], constant int& one [[buffer(2)]]) {
  float4 v = in;
  v.lo.x = 9, v.hi.yx += float2(10, 20), v.zw.y++;
  out[0] = v;
  v = in;
  v.wx[one] += 5, v.zy[0] = v.xw[one], v.rg[one] -= 1, v.lo[0] = 7;
  out[1] = v;
  v = in;
  v.xz = v.yw = 3, v.xz++, --v.yw, v.zx *= v.s13;
  out[2] = v;
  out[3] = raised(in) + raised(float4(in.wzy, 0)).bgra;
  half8 h = {0, 1, 2, 3, 4, 5, 6, 7};
  h.lo.hi = h.even.hi, h.hi.lo.y = 9, h.s67 = h.s01, h.odd[0] += 40;
  out[4] = float4(h.lo), out[5] = float4(h.hi);
  int16v n = 1;
  n.s89ab = int4(2, 3, 4, 5), n.hi.odd = n.s8765 = 6, n.sF = n.s9 + n.s2, n.lo.lo.s0 = 8;
  out[6] = float4(n.lo.odd + n.even.lo), out[7] = float4(n.s4567 + n.hi.hi);
  int i = 0;
  int4 k = 0;
  k.xz[i++] += 1, k.wy[i++ - 1] = 5;
  out[8] = float4(k + i);
  out[9].zx = float2(one, 2), out[9].yw[one] = 4, out[9].y = 3;
}
