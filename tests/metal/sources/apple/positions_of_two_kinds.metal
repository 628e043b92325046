// refused, line 5: expecting input declarations with either all scalar types
#include <metal_stdlib>
using namespace metal;
kernel void column_of(device uint* all, uint2 at [[thread_position_in_grid]],
                      uint width [[threads_per_threadgroup]]) { all[at.y * 8 + at.x] = width; }
