// loads
#include <metal_stdlib>
using namespace metal;
void halve(thread float& x, int n) {
  if (n > 0) {
    x /= 2;
    halve(x, n - 1);
  }
}
kernel void k(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  float x = out[i];
  halve(x, 3);
  out[i] = x;
}
