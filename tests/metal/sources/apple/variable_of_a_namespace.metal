// refused, line 5: `limits`: program scope variable
#include <metal_stdlib>
using namespace metal;
namespace parts {
const float2 limits = float2(0, 1);
}
kernel void clamped(device float* all, uint at [[thread_position_in_grid]]) { all[at] = clamp(all[at], parts::limits.x, parts::limits.y); }
