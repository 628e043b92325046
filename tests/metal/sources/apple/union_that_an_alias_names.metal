// loads
#include <metal_stdlib>
using namespace metal;
using Word = union {
  float value;
  uint bits;
};
uint bits_of(float x) {
  Word word;
  word.value = x;
  return word.bits;
}
inline ushort half_of(float x) { return as_type<ushort>(x); }
kernel void k(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = bits_of(out[i]) >> 31; }
[[kernel]] void other(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = 2; }
