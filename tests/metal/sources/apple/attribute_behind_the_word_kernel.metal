// refused, line 4: an attribute list cannot appear here
#include <metal_stdlib>
using namespace metal;
kernel [[max_total_threads_per_threadgroup(32)]] void ones(device int* all, uint at [[thread_position_in_grid]]) { all[at] = 1; }
