// refused, line 4: `color`: a `texture2d` in a struct in memory
#include <metal_stdlib>
using namespace metal;
struct Material { texture2d<float> color; float gloss; };
kernel void colors(device float4* to, constant Material& m, uint2 at [[thread_position_in_grid]]) { to[at.x] = m.color.read(at); }
