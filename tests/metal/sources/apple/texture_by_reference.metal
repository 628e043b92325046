// refused, line 4: without an address space
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float>& image [[texture(0)]], device float* out [[buffer(0)]],
              uint i [[thread_position_in_grid]]) {
  out[i] = image.read(uint2(i, 0)).x;
}
