// refused, line 6: must be constexpr
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> image [[texture(0)]], device float* out [[buffer(0)]],
              uint i [[thread_position_in_grid]]) {
  sampler linear(filter::linear);
  out[i] = image.sample(linear, float2(i, 0)).x;
}
