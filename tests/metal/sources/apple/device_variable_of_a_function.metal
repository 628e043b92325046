// refused, line 5: lies in no `device` memory
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  device float3 sum(0);
  out[i] = sum.x;
}
