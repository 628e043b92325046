// refused, line 6: call to 'mix' is ambiguous
#include <metal_stdlib>
using namespace metal;
inline float mix(float low, float high, float part) { return low * (1 - part) + high * part; }
kernel void mixed(device float* x, uint at [[thread_position_in_grid]]) {
  x[at] = mix(x[at], 1.0f, 0.25f);
}
