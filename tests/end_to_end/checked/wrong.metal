// Kernels with a fault each that needs no right answer to be seen.
#include <metal_stdlib>
using namespace metal;
// No barrier before the tree begins
kernel void tree_without_first_barrier(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                                       constant uint& N [[buffer(2)]], uint t [[thread_index_in_threadgroup]],
                                       uint T [[threads_per_threadgroup]],
                                       uint row [[threadgroup_position_in_grid]]) {
  threadgroup float part[64];
  float s = 0;
  for (uint n = t; n < N; n += T) s += x[row * N + n];
  part[t] = s;
  for (uint w = T / 2; w > 0; w /= 2) {
    if (t < w) part[t] += part[t + w];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (t == 0) y[row] = part[0];
}
// Barrier in a branch that not all threads take
kernel void barrier_in_a_branch(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                                constant uint& N [[buffer(2)]], uint t [[thread_position_in_threadgroup]]) {
  threadgroup float a[64];
  a[t] = t < N ? x[t] : 0;
  if (t < 32) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    a[t] += a[t + 32];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t < N) y[t] = a[t & 31];
}
// Scan that reads and writes in one phase
kernel void scan_in_one_phase(device const uint* x [[buffer(0)]], device uint* y [[buffer(1)]],
                              constant uint& N [[buffer(2)]], uint t [[thread_position_in_threadgroup]]) {
  threadgroup uint a[64];
  a[t] = t < N ? x[t] : 0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint d = 1; d < 64; d *= 2) {
    if (t >= d) a[t] += a[t - d];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (t < N) y[t] = a[t];
}
// Threadgroup memory past N that nobody wrote
kernel void maximum_of_unwritten(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                                 constant uint& N [[buffer(2)]], uint t [[thread_position_in_threadgroup]]) {
  threadgroup float a[64];
  if (t < N) a[t] = x[t];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float m = 0;
  for (uint k = 0; k < 64; ++k) m = max(m, a[k]);
  if (t < N) y[t] = m;
}
// Histogram without atomics
kernel void bins_without_atomics(device const uint* x [[buffer(0)]], device uint* y [[buffer(1)]],
                                 constant uint& N [[buffer(2)]], uint t [[thread_position_in_threadgroup]]) {
  threadgroup uint bins[16];
  if (t < 16) bins[t] = 0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t < N) bins[x[t] & 15] += 1;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t < N) y[t] = bins[t & 15];
}
// Last elements are never written
kernel void tail_unwritten(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                           constant uint& N [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  if (4 * i + 3 < N)
    for (uint k = 0; k < 4; ++k) y[4 * i + k] = x[4 * i + k];
}
// Stencil in place: neighbours are read while they are written
kernel void stencil_in_place(device float* x [[buffer(0)]], constant uint& N [[buffer(1)]],
                             uint i [[thread_position_in_grid]]) {
  if (i > 0 && i + 1 < N) x[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}
// Two threadgroups add without an atomic
kernel void total_without_atomics(device const float* x [[buffer(0)]], device float* total [[buffer(1)]],
                                  constant uint& N [[buffer(2)]], uint row [[threadgroup_position_in_grid]],
                                  uint lane [[thread_index_in_simdgroup]]) {
  float s = 0;
  for (uint n = lane; n < N; n += 32) s += x[row * N + n];
  s = simd_sum(s);
  if (lane == 0) total[0] += s;
}
// A halo of one is loaded, two are read
kernel void halo_too_small(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                           constant uint& N [[buffer(2)]], uint t [[thread_position_in_threadgroup]],
                           uint g [[threadgroup_position_in_grid]]) {
  threadgroup float a[66];
  uint i = g * 64 + t;
  a[t + 1] = i < N ? x[i] : 0;
  if (t == 0) a[0] = i > 0 ? x[i - 1] : 0;
  if (t == 63) a[65] = i + 1 < N ? x[i + 1] : 0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (i < N) y[i] = a[t] + a[t + 1] + a[t + 3];
}
// The first simdgroup adds what others have not written yet
kernel void partial_sums_unpublished(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                                     constant uint& N [[buffer(2)]], uint t [[thread_index_in_threadgroup]],
                                     uint lane [[thread_index_in_simdgroup]],
                                     uint sg [[simdgroup_index_in_threadgroup]],
                                     uint row [[threadgroup_position_in_grid]]) {
  threadgroup float part[2];
  float s = 0;
  for (uint n = t; n < N; n += 64) s += x[row * N + n];
  s = simd_sum(s);
  if (lane == 0) part[sg] = s;
  if (t == 0) y[row] = part[0] + part[1];
}
