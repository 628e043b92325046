// refused, line 5: an integer beside a matrix
#include <metal_stdlib>
using namespace metal;
kernel void scaled(device float4x4* turns, constant int& factor, uint at [[thread_position_in_grid]]) {
  turns[at] = turns[at] * factor;
}
