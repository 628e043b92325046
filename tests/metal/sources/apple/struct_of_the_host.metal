// loads
#include <metal_stdlib>
using namespace metal;
extern "C" struct Window { int left; int right; };
extern "C" enum Kind : uint { kPlain, kWide };
kernel void widths(device int* out, constant Window* all, uint at [[thread_position_in_grid]]) {
  out[at] = all[at].right - all[at].left + int(kWide);
}
