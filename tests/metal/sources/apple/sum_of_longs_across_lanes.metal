// refused, line 5: no matching function for call to 'simd_sum'
#include <metal_stdlib>
using namespace metal;
kernel void summed(device long2* sums, uint at [[thread_position_in_grid]]) {
  sums[at] = simd_sum(sums[at]);
}
