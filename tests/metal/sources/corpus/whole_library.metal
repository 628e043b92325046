// A file of a graphics program: vertex, fragment, visible and stitchable functions beside kernels.
#include <metal_stdlib>
#include <simd/simd.h>
using namespace metal;
typedef struct {
  vector_float2 position;
  vector_float4 color;
  matrix_float4x4 view;
  simd_float3 more;
} Shared;
struct VertexIn {
  float3 position [[attribute(0)]];
  float2 uv [[attribute(1)]];
};
struct VertexOut {
  float4 position [[position]];
  float4 color;
  float2 uv [[user(texture_coordinate)]];
  float size [[point_size]];
  ushort layer [[render_target_array_index]] [[flat]];
};
struct FragmentOut {
  half4 color [[color(0)]];
  float depth [[depth(any)]];
};
vertex VertexOut draw(VertexIn in [[stage_in]], constant float4x4& view [[buffer(1)]], uint id [[vertex_id]], ushort instance [[instance_id]]) {
  VertexOut out;
  out.position = view * float4(in.position, 1.0);
  out.uv = in.uv;
  return out;
}
[[vertex]] VertexOut draw_all(constant Shared* all [[buffer(0)]], uint id [[vertex_id]]) { return VertexOut{float4(all[id].position, 0, 1), all[id].color, float2(0), 1, 0}; }
fragment FragmentOut paint(VertexOut in [[stage_in]], texture2d<half> image [[texture(0)]], sampler s [[sampler(0)]],
                           depth2d<float> shadow [[texture(1)]], texturecube<float> sky [[texture(2)]], bool front [[front_facing]]) {
  constexpr sampler own(coord::normalized, address::repeat, filter::linear);
  FragmentOut out;
  out.color = image.sample(own, in.uv) * image.sample(s, in.uv, level(0)) * half4(in.color) + dfdx(half(in.uv.x));
  if (out.color.a < 0.1h) discard_fragment();
  out.depth = shadow.sample(s, in.uv);
  return out;
}
[[visible]] float shade(float x) { return x * 2; }
[[stitchable]] half4 tint(float2 position, half4 color, float amount) { return half4(color.rgb * half(amount), color.a); }
[[early_fragment_tests]] fragment float4 early(VertexOut in [[stage_in]]) { return in.color; }
constant Shared kDefault = {};
struct ArgumentBuffer {
  device float* data [[id(0)]];
  texture2d<float> image [[id(1)]];
  array<texture2d<float>, 4> images [[id(2)]];
};
kernel void with_arguments(constant ArgumentBuffer& a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a.data[i] = 1; }
kernel void shared_types(device Shared* s [[buffer(0)]], constant simd_float4x4& m [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  vector_float4 p = m * s[i].color;
  simd::float4 q = simd::float4(p);
  vector_uint2 u = {1, 2};
  s[i].color = p + q;
  s[i].position = p.xy;
  s[i].more.x = u.x;
}
kernel void calls_visible(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = shade(out[i]); }
kernel void grey(texture2d<half, access::read> from [[texture(0)]], texture2d<half, access::write> to [[texture(1)]],
                 ushort2 at [[thread_position_in_grid]]) {
  if (at.x >= to.get_width() || at.y >= to.get_height()) return;
  half4 c = from.read(at);
  to.write(half4(dot(c.rgb, half3(0.299h, 0.587h, 0.114h))), at);
}
