// refused, line 6: `modf` writes to thread memory alone, and `whole` is in device memory
#include <metal_stdlib>
using namespace metal;
kernel void k(device float2* whole [[buffer(0)]], device float* out [[buffer(1)]],
              uint i [[thread_position_in_grid]]) {
  out[i] = modf(float2(out[i]), whole[i]).x;
}
