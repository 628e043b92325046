// refused, line 5: no matching function for call to 'length'
#include <metal_stdlib>
using namespace metal;
kernel void lengths(device const int2* a, device float* to, uint at [[thread_position_in_grid]]) {
  to[at] = length(a[at]);
}
