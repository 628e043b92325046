// Sums across threadgroups: each slice of K leaves its partial sums in device memory, and the threadgroup
// that counts in last adds them up.
#pragma once

#include <metal_atomic>

#include "tile.h"

/// Counts a threadgroup in and says how many have come, itself included, to all of its threads. What any
/// thread wrote to device memory before is then seen by the threads of whoever counts in later: the barriers
/// order the threadgroup around its thread 0, whose fences order it with others. The counter alone orders
/// nothing, and what passes between threadgroups lies in memory that is coherent(device).
inline uint count_in(device atomic_uint* counter, threadgroup uint& arrived, uint thread_index) {
  threadgroup_barrier(mem_flags::mem_device);
  if (thread_index == 0) {
    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);  // release
    arrived = atomic_fetch_add_explicit(counter, 1, memory_order_relaxed) + 1;
    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);  // acquire
  }
  threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
  return arrived;
}

/// C[corner..] = RN16(sum of partials [parallel][M][N]), clipped to C and in slice order, so that it does not
/// matter which threadgroup does it. Leaves the partials 0, as it must find those of empty slices.
inline void reduce(device coherent(device) float* partials, device half* C, Shape shape, Corner corner,
                   uint parallel, uint thread_index) {
  for (uint i = thread_index; i < TILE_M * TILE_N; i += THREADS) {
    const uint row = corner.row + i / TILE_N;
    const uint column = corner.column + i % TILE_N;
    if (row < shape.M && column < shape.N) {
      float sum = 0;
      for (uint slice = 0; slice < parallel; ++slice) {
        const uint at = (slice * shape.M + row) * shape.N + column;
        sum += partials[at];
        partials[at] = 0;
      }
      C[row * shape.N + column] = half(sum);
    }
  }
}
