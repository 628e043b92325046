// loads
#include <metal_stdlib>
using namespace metal;
struct Mask {
  uchar bits;
  operator bool() const device { return bits != 0; }
  operator bool() const thread { return bits != 0; }
};
enum Kind { kPlain = 1, kFancy = 7 };
template <typename T>
T masked(T value, device const Mask& mask) {
  T kept = mask;
  kept = mask;
  return value * kept;
}
kernel void counted(device const float* x, device const Mask* masks, device bfloat* to,
                    uint at [[thread_position_in_grid]]) {
  bfloat sum = at, kind = kFancy, sign = x[at] < 0;
  sum += x[at];
  sum *= half(2);
  sum -= 1;
  const Mask own = masks[at];
  sum = x[at] > 1 ? sum : 0;
  to[at] = masked(sum, masks[at]) + kind * sign;
  to[at + 1] = own;
  to[at + 2] = static_cast<bfloat>(x[at]) + bfloat(half(x[at])) + (bfloat)2.5f;
  const bfloat4 all = bfloat4(x[at], sum, 1, 2.0f) + bfloat4(bfloat2(sum), 1.0f, 0) * 0.5f;
  to[at + 3] = all.x + all.w;
}
