#include <metal_stdlib>
using namespace metal;

kernel void halve(device float* values [[buffer(0)]], uint i [[thread_position_in_grid]]) { values[i] *= 0.5f; }
