// refused, line 5: lies in no `constant` memory
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  constant float two = 2;
  out[i] = two;
}
