// Faults inside helpers that the compiler inlines: reported where they happen.
#include <metal_stdlib>
#include "faults/helper.h"
using namespace metal;

static inline float twice(device const float* data, uint i) {
  return 2 * data[i];
}

kernel void in_helper(device const float* data, device float* out, uint i [[thread_position_in_grid]]) {
  out[i] = twice(data, i + 1000);
}

kernel void in_header(device const float* data, device float* out, uint i [[thread_position_in_grid]]) {
  out[i] = 1;
  out[i] += faults::deep(data, i);
}

kernel void in_own_body(device const float* data, device float* out, uint i [[thread_position_in_grid]]) {
  out[i] = data[0];
  out[i + 5000] = data[0];
}

kernel void in_argument(constant float4& large, device float* out) {
  out[0] = large.w;
}

struct Rows { float row[4]; };
kernel void in_array(device float* out, constant uint& i) {
  Rows rows = {{1, 2, 3, 4}};
  out[0] = rows.row[i];
}
