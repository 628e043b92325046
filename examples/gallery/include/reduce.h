// Sums and maxima over all threads of a threadgroup.
#pragma once

#include <metal_stdlib>
using namespace metal;

constant constexpr uint THREADS = 128;  // of a threadgroup
constant constexpr uint SIMDGROUPS = THREADS / 32;

/// The sum over all threads, for each of them. `parts` has one element a simdgroup, and must not be written
/// again before a barrier.
inline float sum_of_threads(float value, threadgroup float* parts, uint simdgroup, uint lane) {
  value = simd_sum(value);
  if (lane == 0) parts[simdgroup] = value;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return simd_sum(lane < SIMDGROUPS ? parts[lane] : 0.0f);
}

/// The largest of all threads, likewise.
inline float largest_of_threads(float value, threadgroup float* parts, uint simdgroup, uint lane) {
  value = simd_max(value);
  if (lane == 0) parts[simdgroup] = value;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return simd_max(lane < SIMDGROUPS ? parts[lane] : -INFINITY);
}
