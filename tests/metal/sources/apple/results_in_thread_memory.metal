// loads
#include <metal_stdlib>
using namespace metal;
kernel void k(device float2* whole [[buffer(0)]], device float* out [[buffer(1)]],
              uint i [[thread_position_in_grid]]) {
  float2 parts[2];
  int power;
  out[i] = modf(float2(out[i]), parts[1]).x + frexp(out[i], power) + sincos(out[i], parts[0].x);
  whole[i] += parts[1];
}
