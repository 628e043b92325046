// loads
#include <metal_stdlib>
using namespace metal;
kernel void spread(coherent device float* all [[buffer(0)]], volatile device coherent(device) uint* flags,
                   uint at [[thread_position_in_grid]]) {
  const uint coherent = flags[at];
  all[at] = float(coherent);
}
