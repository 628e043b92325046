// Sums to device memory. Which lane holds which element of a simdgroup matrix is not for a kernel to know, so
// they pass through threadgroup memory, where every lane can find them.
#pragma once

#include "multiply.h"

/// Threadgroup memory for tiles of A that ends up as the way out: once the last tile is multiplied, each
/// simdgroup with sums has a strip of eight rows of floats in it.
template <uint Stages>
union ATiles {
  half stage[Stages][TILE_M * TILE_K];
  float strip[PARTS][8 * PART_N];
};

/// out[corner..] = sums, clipped to [M, N], a strip of eight rows and `Width` columns at a time: rounded once
/// if T is half, as they are if it is float. `strip` is this simdgroup's own.
template <uint Width = PART_N, typename T>
inline void store(thread const Sums& sums, threadgroup float* strip, device T* out, Shape shape,
                  Corner corner, uint lane) {
  for (uint m = 0; m < PART_M / 8; ++m) {
    for (uint first = 0; first < PART_N; first += Width) {
      for (uint n = 0; n < Width / 8; ++n)
        simdgroup_store(sums.at[m][first / 8 + n], strip + 8 * n, Width);
      simdgroup_barrier(mem_flags::mem_threadgroup);  // the strip is complete
      for (uint i = lane; i < 8 * Width; i += SIMDGROUP_WIDTH) {
        const uint row = corner.row + 8 * m + i / Width;
        const uint column = corner.column + first + i % Width;
        if (row < shape.M && column < shape.N) out[row * shape.N + column] = T(strip[i]);
      }
      simdgroup_barrier(mem_flags::mem_threadgroup);  // and read: the next may be written
    }
  }
}
