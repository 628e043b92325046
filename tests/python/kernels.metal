#include <metal_stdlib>
using namespace metal;

constant int SCALE [[function_constant(0)]];
constant bool has_scale = is_function_constant_defined(SCALE);

struct Sizes {
  uint rows;
  float factor;
};

kernel void doubled(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant uint& n [[buffer(2)]],
                    uint i [[thread_position_in_grid]]) {
  if (i < n) y[i] = 2 * x[i];
}

kernel void in_struct(device half* y [[buffer(0)]], constant Sizes& sizes [[buffer(1)]],
                      uint i [[thread_position_in_grid]]) {
  if (i < sizes.rows) y[i] = half(sizes.factor * i);
}

kernel void scaled(device int* y [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  y[i] = y[i] * (has_scale ? SCALE : 1);
}

kernel void reversed(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                     threadgroup float* staged [[threadgroup(0)]], uint i [[thread_position_in_grid]],
                     uint t [[thread_index_in_threadgroup]], uint n [[threads_per_threadgroup]]) {
  staged[t] = x[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[i] = staged[n - 1 - t];
}

kernel void racing(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                   uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup float staged[64];
  staged[t] = x[i];
  y[i] = staged[63 - t];
}

kernel void outside(device float* y [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  y[i + 1] = 1;
}

kernel void unwritten(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                      uint i [[thread_position_in_grid]]) {
  y[i] += x[i];
}

kernel void divergent(device float* y [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  if (i < 16) threadgroup_barrier(mem_flags::mem_threadgroup);
  y[i] = 1;
}

kernel void endless(device float* y [[buffer(0)]], constant int& on [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  while (on == 1) y[i] = 1;
}

struct Set {
  device const float* a;
  device float* b;
  uint n;
};

kernel void through(constant Set& set [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  if (i < set.n) set.b[i] = set.a[i] + 1;
}

kernel void sampled(texture2d<float, access::read> image [[texture(0)]], device float* y [[buffer(0)]],
                    uint2 at [[thread_position_in_grid]]) {
  y[at.y * image.get_width() + at.x] = image.read(at).x;
}

kernel void wide(device const long* x [[buffer(0)]], device bfloat* y [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
  y[i] = bfloat(float(x[i]));
}

kernel void summed(texture2d<float, access::read> image [[texture(0)]], device float* y [[buffer(0)]],
                   uint2 at [[thread_position_in_grid]]) {
  const float4 texel = image.read(at);
  y[at.y * image.get_width() + at.x] = texel.x + texel.y + texel.z + texel.w;
}
