// refused, line 4: the number of an attribute is no `long`
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* out [[buffer(3l)]], uint i [[thread_position_in_grid]]) { out[i] = 1; }
