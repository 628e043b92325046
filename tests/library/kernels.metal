#include <metal_stdlib>
using namespace metal;

constant half kMagnitudes[8] = {0.0h, 0.5h, 1.0h, 1.5h, 2.0h, 3.0h, 4.0h, 6.0h};

half weight(uint code, half scale) {
  const half magnitude = kMagnitudes[code & 7];
  return (code > 7 ? -magnitude : magnitude) * scale;
}

#define PARAMETERS                                                                                        \
  device const uint *B [[buffer(0)]], device const half *scales [[buffer(1)]],                           \
      device half *W [[buffer(2)]], constant uint &N [[buffer(3)]], constant uint &K [[buffer(4)]],      \
      constant uint &group_size [[buffer(5)]], uint2 place [[thread_position_in_grid]]

#define CODE (B[place.y / 8 * N + place.x] >> (4 * (place.y % 8)) & 15)
#define SCALE scales[place.y / group_size * N + place.x]

kernel void right(PARAMETERS) {
  if (place.x < N && place.y < K) W[place.y * N + place.x] = weight(CODE, SCALE);
}

kernel void without_signs(PARAMETERS) {
  if (place.x < N && place.y < K) W[place.y * N + place.x] = weight(CODE & 7, SCALE);
}

// Stores far away where there are more than three columns.
kernel void crashing(PARAMETERS) {
  const ulong away = N > 3 ? ulong(1) << 44 : 0;
  if (place.x < N && place.y < K) W[away + place.y * N + place.x] = weight(CODE, SCALE);
}

kernel void outside(PARAMETERS) {
  if (place.x <= N && place.y < K) W[place.y * N + place.x + 1] = weight(CODE, SCALE);
}
