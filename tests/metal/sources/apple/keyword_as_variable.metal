// refused, line 5: `half` is a keyword in Metal
#include <metal_stdlib>
using namespace metal;
kernel void middle(device const uint* all, device uint* out, constant uint& n, uint at [[thread_position_in_grid]]) {
  const uint half = n / 2;
  out[at] = all[(at + half) % n];
}
