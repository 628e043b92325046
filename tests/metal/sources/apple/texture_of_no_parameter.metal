// refused, line 5: a texture is a parameter of the kernel
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  texture2d<float> image;
  out[i] = image.get_width();
}
