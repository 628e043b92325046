// refused, line 4: lies in no `constant` memory
#include <metal_stdlib>
using namespace metal;
float twice(constant float x) { return 2 * x; }
kernel void k(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = twice(3); }
