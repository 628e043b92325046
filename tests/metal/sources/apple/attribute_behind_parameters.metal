// refused, line 4: 'max_total_threads_per_threadgroup' attribute cannot be applied to types
#include <metal_stdlib>
using namespace metal;
kernel void half_of(device float* all [[buffer(0)]], uint at [[thread_position_in_grid]]) [[max_total_threads_per_threadgroup(128)]] {
  all[at] *= 0.5f;
}
