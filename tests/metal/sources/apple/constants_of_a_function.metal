// loads
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  static constant float two = 2;
  constexpr constant float table[2] = {1, 2};
  out[i] = two + table[i & 1];
}
