// refused, line 5: no viable overloaded '='
#include <metal_stdlib>
using namespace metal;
kernel void copied(device const half* x, device bfloat* to, uint at [[thread_position_in_grid]]) {
  to[at] = x[at];
}
