#include <metal_stdlib>
using namespace metal;

// scales [ceil(K / group_size), N]: a thread a group and column.
kernel void absmax(device const half* W [[buffer(0)]], device half* scales [[buffer(1)]],
                   constant uint& K [[buffer(2)]], constant uint& N [[buffer(3)]],
                   constant uint& group_size [[buffer(4)]], uint2 place [[thread_position_in_grid]]) {
  const uint n = place.x, group = place.y;
  if (n >= N || group * group_size >= K) return;
  half largest = 0.0h;
  for (uint k = group * group_size; k < min(K, (group + 1) * group_size); ++k) {
    largest = max(largest, fabs(W[k * N + n]));
  }
  scales[group * N + n] = largest;
}

// Its fault: the largest value is not the largest magnitude.
kernel void signed_max(device const half* W [[buffer(0)]], device half* scales [[buffer(1)]],
                       constant uint& K [[buffer(2)]], constant uint& N [[buffer(3)]],
                       constant uint& group_size [[buffer(4)]], uint2 place [[thread_position_in_grid]]) {
  const uint n = place.x, group = place.y;
  if (n >= N || group * group_size >= K) return;
  half largest = 0.0h;
  for (uint k = group * group_size; k < min(K, (group + 1) * group_size); ++k) {
    largest = max(largest, W[k * N + n]);
  }
  scales[group * N + n] = largest;
}
