// refused, line 4: as members of a struct alone
#include <metal_stdlib>
using namespace metal;
kernel void k(device texture2d<float>* images [[buffer(1)]], device float* out [[buffer(0)]],
              uint i [[thread_position_in_grid]]) {
  out[i] = images[0].read(uint2(i, 0)).x;
}
