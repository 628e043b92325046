// refused, line 5: Metal has no `long long`
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  const long long wide = i;
  out[i] = float(wide);
}
