// refused, line 5: a floating-point number beside a vector of integers
#include <metal_stdlib>
using namespace metal;
kernel void moved(device uint3* places, constant half& step, uint at [[thread_position_in_grid]]) {
  places[at] += step;
}
