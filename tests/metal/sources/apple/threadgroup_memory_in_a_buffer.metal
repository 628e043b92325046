// refused, line 5: and no threadgroup memory
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* out [[buffer(0)]],
              threadgroup float* sums [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  sums[i] = 1;
  out[i] = sums[i];
}
