// Rotary embedding in place. Element i of a head and element i + D / 2 turn together. A thread turns one pair
// of every head, for its sine and cosine are the same in all. Angles grow with positions: fast sin() and
// cos() hold nothing beyond pi.
#include <metal_stdlib>
using namespace metal;

kernel void rotary(device half* x [[buffer(0)]],                   // [T, H, D]
                   device const uint* positions [[buffer(1)]],     // [T]
                   device const float* frequencies [[buffer(2)]],  // [D / 2]
                   constant uint& H [[buffer(3)]],
                   constant uint& D [[buffer(4)]],
                   uint2 at [[thread_position_in_grid]]) {  // pair, token
  const uint pairs = D / 2;
  const float angle = float(positions[at.y]) * frequencies[at.x];
  const float cosine = precise::cos(angle), sine = precise::sin(angle);
  device half* pair = x + at.y * H * D + at.x;
  for (uint head = 0; head < H; ++head) {
    const float first = pair[0], second = pair[pairs];
    pair[0] = half(first * cosine - second * sine);
    pair[pairs] = half(first * sine + second * cosine);
    pair += D;
  }
}
