// loads
#include <metal_stdlib>
using namespace metal;
kernel void shifted(device int4* all, device ushort2* words, device const uchar4* counts, uint at [[thread_position_in_grid]]) {
  all[at] = (all[at] >> uint4(1)) << int4(2);
  all[at] <<= counts[at];
  words[at] = words[at] >> int2(3, 4);
}
