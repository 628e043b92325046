// loads
// metal: 4.0
#include <metal_stdlib>
using namespace metal;
kernel void sums(device float* all, uint at [[thread_position_in_grid]]) {
  const float x = all[at];
  const auto add = [x](float y) { return x + y; };
  all[at] = add(1) + add(2);
}
