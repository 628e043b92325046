// Clears what the striped GEMM adds up in, whatever it held, with any number of threads.
#include "include/reduction.h"
#include "include/schedule.h"

kernel void marlin_zero_reduction(device float* partials [[buffer(0)]],        // [parallel, M, N]
                                  device atomic_uint* counters [[buffer(1)]],  // one a tile
                                  constant uint& M [[buffer(2)]],
                                  constant uint& N [[buffer(3)]],
                                  constant uint& parallel [[buffer(4)]],
                                  uint position [[thread_position_in_grid]],
                                  uint threads [[threads_per_grid]]) {
  const Shape shape = {M, N, 0, 0};
  const uint tiles = tile_count(shape);
  for (uint i = position; i < parallel * M * N; i += threads) partials[i] = 0;
  for (uint i = position; i < tiles; i += threads) {
    atomic_store_explicit(&counters[i], 0, memory_order_relaxed);
  }
}
