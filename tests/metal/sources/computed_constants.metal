// Constants of the program whose values the compiler computes.
#include <metal_stdlib>
using namespace metal;

constant float kHalfRoot = sqrt(2.0f) * 0.5f;
constant float kPowers[3] = {exp2(1.0f), exp2(2.0f), exp2(3.0f)};
constant float2 kPair = float2(3.0f / sqrt(25.0f), min(1.0f, pow(2.0f, 3.0f)));

kernel void computed(device float* out [[buffer(0)]]) {
  out[0] = kHalfRoot;
  for (int i = 0; i < 3; ++i) out[1 + i] = kPowers[i];
  out[4] = kPair.x;
}
