// refused, line 4: `bfloat` is a keyword in Metal
#include <metal_stdlib>
using namespace metal;
struct Sizes { uint rows; uint bfloat; };
kernel void sizes(device uint* out, constant Sizes& s) { out[0] = s.rows; }
