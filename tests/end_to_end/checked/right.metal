// Kernels without a fault, each of another kind: `assay check` has nothing to say of them.
#include <metal_stdlib>
using namespace metal;
kernel void tree_sum(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                     constant uint& N [[buffer(2)]], uint t [[thread_index_in_threadgroup]],
                     uint T [[threads_per_threadgroup]], uint row [[threadgroup_position_in_grid]]) {
  threadgroup float part[256];
  float s = 0;
  for (uint n = t; n < N; n += T) s += x[row * N + n];
  part[t] = s;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint w = T / 2; w > 0; w /= 2) {
    if (t < w) part[t] += part[t + w];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (t == 0) y[row] = part[0];
}
kernel void softmax_rows(device const half* x [[buffer(0)]], device half* y [[buffer(1)]],
                         constant uint& N [[buffer(2)]], uint lane [[thread_index_in_simdgroup]],
                         uint row [[threadgroup_position_in_grid]]) {
  float m = -INFINITY;
  for (uint n = lane; n < N; n += 32) m = max(m, float(x[row * N + n]));
  m = simd_max(m);
  float s = 0;
  for (uint n = lane; n < N; n += 32) s += exp(float(x[row * N + n]) - m);
  s = simd_sum(s);
  for (uint n = lane; n < N; n += 32) y[row * N + n] = half(exp(float(x[row * N + n]) - m) / s);
}
kernel void scan_block(device const uint* x [[buffer(0)]], device uint* y [[buffer(1)]],
                       constant uint& N [[buffer(2)]], uint t [[thread_position_in_threadgroup]]) {
  threadgroup uint a[64];
  a[t] = t < N ? x[t] : 0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint d = 1; d < 64; d *= 2) {
    uint v = t >= d ? a[t - d] : 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    a[t] += v;
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (t < N) y[t] = a[t];
}
kernel void bitonic(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                    constant uint& N [[buffer(2)]], uint t [[thread_position_in_threadgroup]]) {
  threadgroup float a[64];
  a[t] = t < N ? x[t] : INFINITY;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint k = 2; k <= 64; k *= 2)
    for (uint j = k / 2; j > 0; j /= 2) {
      uint o = t ^ j;
      if (o > t) {
        bool up = (t & k) == 0;
        float p = a[t], q = a[o];
        if ((p > q) == up) {
          a[t] = q;
          a[o] = p;
        }
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
    }
  if (t < N) y[t] = a[t];
}
kernel void blur(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                 constant uint& H [[buffer(2)]], constant uint& W [[buffer(3)]],
                 uint2 g [[thread_position_in_grid]]) {
  if (g.x >= W || g.y >= H) return;
  float s = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      int r = clamp(int(g.y) + dy, 0, int(H) - 1), c = clamp(int(g.x) + dx, 0, int(W) - 1);
      s += x[r * W + c];
    }
  y[g.y * W + g.x] = s / 9;
}
kernel void saxpy(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                  constant float& a [[buffer(2)]], constant uint& N [[buffer(3)]],
                  uint i [[thread_position_in_grid]]) {
  if (i < N) y[i] = a * x[i];
}
kernel void attend(device const half* q [[buffer(0)]], device const half* k [[buffer(1)]],
                   device const half* v [[buffer(2)]], device half* o [[buffer(3)]],
                   constant uint& L [[buffer(4)]], constant uint& D [[buffer(5)]],
                   uint lane [[thread_index_in_simdgroup]], uint row [[threadgroup_position_in_grid]]) {
  float m = -INFINITY, s = 0, acc[4] = {0, 0, 0, 0};
  for (uint l = 0; l < L; ++l) {
    float d = 0;
    for (uint e = lane; e < D; e += 32) d += float(q[row * D + e]) * float(k[l * D + e]);
    d = simd_sum(d) * rsqrt(float(D));
    float mn = max(m, d), f = exp(m - mn), p = exp(d - mn);
    s = s * f + p;
    m = mn;
    for (uint e = lane, c = 0; e < D; e += 32, ++c) acc[c] = acc[c] * f + p * float(v[l * D + e]);
  }
  for (uint e = lane, c = 0; e < D; e += 32, ++c) o[row * D + e] = half(acc[c] / s);
}
