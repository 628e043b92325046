// refused, line 5: invalid element type 'T' for 'simdgroup_matrix'
#include <metal_stdlib>
using namespace metal;
kernel void squared(device const char* x, device char* to) {
  simdgroup_matrix<char, 8, 8> square;
  simdgroup_load(square, x, 8);
  simdgroup_store(square, to, 8);
}
