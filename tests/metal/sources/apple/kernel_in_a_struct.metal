// refused, line 5: is a kernel and a member of a class
#include <metal_stdlib>
using namespace metal;
struct Kernels {
  kernel void inner(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = 1; }
};
kernel void k(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = 1; }
