// loads
// metal: 3.1
#include <metal_stdlib>
using namespace metal;
#if __METAL_VERSION__ != 310
#error another version
#endif
kernel void none(device uint* all, uint at [[thread_position_in_grid]]) { all[at] = 0; }
