// loads
#include <metal_stdlib>
using namespace metal;
kernel void factors(device MTLTriangleTessellationFactorsHalf* to, constant float* level, uint at [[thread_position_in_grid]]) {
  for (int k = 0; k < 3; ++k) to[at].edgeTessellationFactor[k] = half(level[k]);
  to[at].insideTessellationFactor = 2.0h;
}
static_assert(sizeof(MTLTriangleTessellationFactorsHalf) == 8 && sizeof(MTLQuadTessellationFactorsHalf) == 12, "");
