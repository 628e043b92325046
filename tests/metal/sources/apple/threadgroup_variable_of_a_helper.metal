// refused, line 5: is declared in a kernel
#include <metal_stdlib>
using namespace metal;
float shared_sum(float x, uint i) {
  threadgroup float sums[32];
  sums[i] = x;
  return sums[i ^ 1];
}
kernel void k(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = shared_sum(out[i], i); }
