// refused, line 4: [[buffer]] is of a parameter, and `gain` is none
#include <metal_stdlib>
using namespace metal;
constant float gain [[buffer(3)]] = 1;
kernel void k(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = 1; }
