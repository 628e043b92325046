// refused, line 4: cannot be narrowed
#include <metal_stdlib>
using namespace metal;
constant uint2 both = {-1, 1};
kernel void k(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = both.x; }
