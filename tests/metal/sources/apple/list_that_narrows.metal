// refused, line 5: cannot be narrowed
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  const int2 both = {int(i), i};
  out[i] = both.x;
}
