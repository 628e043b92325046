// refused, line 5: Metal has no `__int128`
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  const __int128 wide = i;
  out[i] = float(wide);
}
