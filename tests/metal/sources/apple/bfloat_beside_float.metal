// loads
#include <metal_stdlib>
using namespace metal;
template <typename T>
T chosen(T x, float y, bool first) {
  return static_cast<T>(first ? x : y);
}
kernel void choose(device const bfloat* x, device bfloat* to, constant int& n, uint at [[thread_position_in_grid]]) {
  const float y = x[at] > 1 ? 0.5f : x[at] < -1 ? x[at] : float(n);
  to[at] = bfloat(at < 3
                      ? y * 2
                      : x[at]);
  to[at + 1] = chosen(x[at], y, n > 0);
}
