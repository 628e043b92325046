// refused, line 5: Metal has no labels
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
again:
  out[i] = 1;
}
