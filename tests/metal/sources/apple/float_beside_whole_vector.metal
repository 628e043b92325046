// refused, line 5: a floating-point number beside a vector of integers
#include <metal_stdlib>
using namespace metal;
kernel void scaled(device int2* places, constant float& scale, uint at [[thread_position_in_grid]]) {
  places[at] = places[at] * scale;
}
