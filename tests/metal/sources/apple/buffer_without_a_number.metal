// refused, line 4: [[buffer]] takes a number
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* out [[buffer]], uint i [[thread_position_in_grid]]) { out[i] = 1; }
