// loads
#include <metal_stdlib>
using namespace metal;
struct Words {
  uint low, high;
  Words operator+(thread const Words& other) const {
    Words sum;
    sum.low = low + other.low;
    sum.high = high + other.high + (sum.low < low ? 1 : 0);
    return sum;
  }
  constexpr thread Words& operator+=(thread const Words& other) {
    *this = *this + other;
    return *this;
  }
};
kernel void sums(device Words* all, uint at [[thread_position_in_grid]]) {
  Words w = all[2 * at];
  const Words other = all[2 * at + 1];
  w += other;
  all[2 * at] = w;
}
