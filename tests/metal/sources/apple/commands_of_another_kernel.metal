// loads
#include <metal_stdlib>
using namespace metal;
struct Commands { command_buffer all; uint count; };
static_assert(sizeof(Commands) <= 16, "as the host lays it out");
struct Sizes { uint rows, columns; };
static_assert(sizeof(Sizes) == 8, "");
kernel void area(constant Sizes& s, device uint* out) { out[0] = s.rows * s.columns; }
