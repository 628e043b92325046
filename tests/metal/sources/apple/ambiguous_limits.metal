// refused, line 5: call to 'clamp' is ambiguous
#include <metal_stdlib>
using namespace metal;
kernel void limited(device float* x, uint at [[thread_position_in_grid]]) {
  x[at] = clamp(x[at] * 2, -1, 1);
}
