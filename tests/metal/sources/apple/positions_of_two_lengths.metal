// refused, line 5: vector types with the same number of elements
#include <metal_stdlib>
using namespace metal;
kernel void plane_of(device uint* all, ushort3 at [[thread_position_in_grid]],
                     ushort2 size [[threads_per_grid]]) { all[at.y * size.x + at.x] = at.z; }
