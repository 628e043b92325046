// refused, line 5: is a reference, but [[thread_position_in_grid]] is a value
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* out [[buffer(0)]],
              constant uint& i [[thread_position_in_grid]]) {
  out[i] = 1;
}
