// loads
#include <metal_stdlib>
using namespace metal;
kernel void scaled(device int2* places, device float2* points, device float4x4* turns, device half4* h,
                   uint at [[thread_position_in_grid]]) {
  places[at] = places[at] * 2 + int(at);
  places[at].xy *= 3;
  places[at] <<= 1u;
  points[at] = points[at] * 2 + at;
  points[at] *= 0.5h;
  points[at] += select(float2(0), float2(1), points[at] > 1);
  h[at] = h[at] * 2.0f + 1;
  turns[at] = turns[at] * 0.5f + 2.0f * turns[at] - -turns[at];
  const int2 given = 1.5f;
  places[at] += given;
}
