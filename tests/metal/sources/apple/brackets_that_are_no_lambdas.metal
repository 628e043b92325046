// loads
#include <metal_stdlib>
using namespace metal;
struct Pair {
  uint a, b;
};
struct Row {
  uint cells[4];
  thread uint& operator[](uint i) thread { return cells[i & 3]; }
};
uint last(const thread uint (&numbers)[4]) { return numbers[3]; }
kernel void rows(device uint* counts [[buffer(0)]], uint at [[thread_position_in_grid]]) {
  uint numbers[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}}, more[] {9, 10};
  Row row = {{at, 1, 2, 3}};
  auto [low, high] = Pair{more[0], more[1]};
  counts[at] = last(numbers[at & 1]) + (numbers)[0][1] + row[2] + low + high;
}
