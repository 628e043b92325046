// Kernels of the device conformance suite (conformance.hpp).
#include <metal_stdlib>
using namespace metal;

/// *data = *data * factor + addend, by one thread.
kernel void scale_add(device uint* data [[buffer(0)]], constant uint& factor [[buffer(1)]],
                      constant uint& addend [[buffer(2)]], uint index [[thread_position_in_grid]]) {
  if (index == 0) {
    *data = *data * factor + addend;
  }
}

/// data[i] = i + 1 for each thread i.
kernel void fill_positions(device uint* data [[buffer(0)]], uint index [[thread_position_in_grid]]) {
  data[index] = index + 1;
}
