// loads
#include <metal_stdlib>
using namespace metal;
float first(constant float x[2]) { return x[0]; }
constant float table[2] = {1, 2};
kernel void k(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = first(table); }
