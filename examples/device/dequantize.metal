#include <metal_stdlib>
using namespace metal;

constant half kMagnitudes[8] = {0.0h, 0.5h, 1.0h, 1.5h, 2.0h, 3.0h, 4.0h, 6.0h};

// W [K, N] from FP4 codes, eight to a word along K, and a scale for each group of K and column. A thread a weight.
kernel void dequantize(device const uint* B [[buffer(0)]], device const half* scales [[buffer(1)]],
                       device half* W [[buffer(2)]], constant uint& N [[buffer(3)]],
                       constant uint& K [[buffer(4)]], constant uint& group_size [[buffer(5)]],
                       uint2 place [[thread_position_in_grid]]) {
  const uint n = place.x, k = place.y;
  if (n >= N || k >= K) return;
  const uint code = B[k / 8 * N + n] >> (4 * (k % 8)) & 15;
  const half magnitude = kMagnitudes[code & 7];
  W[k * N + n] = (code > 7 ? -magnitude : magnitude) * scales[k / group_size * N + n];
}
