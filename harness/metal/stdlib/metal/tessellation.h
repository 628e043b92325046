// <metal_tessellation>: what compute kernels write that stand for control shaders.
#pragma once
#include "metal/scalar_types.h"

struct MTLQuadTessellationFactorsHalf {
  half edgeTessellationFactor[4];
  half insideTessellationFactor[2];
};
struct MTLTriangleTessellationFactorsHalf {
  half edgeTessellationFactor[3];
  half insideTessellationFactor;
};
