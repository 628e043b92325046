// loads
#include <metal_stdlib>
using namespace metal;
template <typename T> T least() { return numeric_limits<T>::lowest(); }
kernel void leasts(device float3* out, device short2* other, uint at [[thread_position_in_grid]]) {
  out[at] = least<float3>();
  other[at] = max(least<short2>(), numeric_limits<short2>::max());
}
