// refused, line 4: `kernel` is a keyword in Metal
#include <metal_stdlib>
using namespace metal;
static float weighted(float x, float kernel) { return x; }
kernel void weigh(device float* all, uint at [[thread_position_in_grid]]) { all[at] = weighted(all[at], 2); }
