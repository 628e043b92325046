#include <metal_stdlib>
using namespace metal;

kernel void twice(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                  uint i [[thread_position_in_grid]]) {
  y[i] = 2 * x[i];
}

kernel void thrice(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                   uint i [[thread_position_in_grid]]) {
  y[i] = 3 * x[i];
}
