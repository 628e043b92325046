// refused, line 5: expected ')'
#include <metal_stdlib>
using namespace metal;
kernel void copied(device const float* from [[buffer(0)]],
                   device float* restrict to [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  to[i] = from[i];
}
