// refused, line 5: call to 'isnan' is ambiguous
#include <metal_stdlib>
using namespace metal;
kernel void asked(device const uint* x, device bool* to, uint at [[thread_position_in_grid]]) {
  to[at] = isnan(x[at]);
}
