// refused, line 4: no function is called `main`
#include <metal_stdlib>
using namespace metal;
kernel void main(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = 1; }
