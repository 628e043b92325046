// loads
#include <metal_stdlib>
using namespace metal;
static float twice(float x) __attribute__((always_inline))
{ return x + x; }
kernel void doubled(device float* all, uint at [[thread_position_in_grid]]) __attribute__((max_total_threads_per_threadgroup(32)))
{
  all[at] = twice(all[at]);
}
