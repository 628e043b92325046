// refused, line 4: `kWidth`: program scope variable must reside in constant address space
#include <metal_stdlib>
using namespace metal;
static constexpr int kWidth = 16;
kernel void rows(device int* all, uint at [[thread_position_in_grid]]) { all[at] = int(at) / kWidth; }
