// refused, line 5: no matching function for call to 'dot'
#include <metal_stdlib>
using namespace metal;
kernel void product(device const char4* a, device const char4* b, device int* to, uint at [[thread_position_in_grid]]) {
  to[at] = dot(a[at], b[at]);
}
