// refused, line 5: call to 'min' is ambiguous
#include <metal_stdlib>
using namespace metal;
kernel void least(device uint* x, constant int& limit, uint at [[thread_position_in_grid]]) {
  x[at] = min(x[at], limit);
}
