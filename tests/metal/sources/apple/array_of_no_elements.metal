// refused, line 6: an array of no elements
#include <metal_stdlib>
using namespace metal;
struct Row {
  float first;
  float rest[0];
};
kernel void k(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  Row row = {1};
  out[i] = row.first;
}
