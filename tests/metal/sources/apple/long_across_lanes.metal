// refused, line 6: no matching function for call to 'simd_shuffle_down'
#include <metal_stdlib>
using namespace metal;
kernel void summed(device ulong* sums, uint at [[thread_position_in_grid]]) {
  ulong sum = sums[at];
  for (ushort lanes = 16; lanes > 0; lanes /= 2) sum += simd_shuffle_down(sum, lanes);
  sums[at] = sum;
}
