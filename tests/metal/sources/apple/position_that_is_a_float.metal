// refused, line 5: type `float` is not valid for [[thread_position_in_grid]]
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* out [[buffer(0)]],
              float i [[thread_position_in_grid]]) {
  out[uint(i)] = 1;
}
