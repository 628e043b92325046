// refused, line 4: is threadgroup memory, and no other
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* out [[threadgroup(0)]], uint i [[thread_position_in_grid]]) { out[i] = 1; }
