// refused, line 4: cannot be narrowed
#include <metal_stdlib>
using namespace metal;
constant int2 both = {3.5f, 1};
kernel void k(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = both.x; }
