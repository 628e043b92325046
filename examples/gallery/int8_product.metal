// C = A W^T of signed bytes, each row of A and of W with a scale of its own. A threadgroup computes a tile of
// 16 x 16, a thread an element; sums are exact in 32 bits.
#include <metal_stdlib>
using namespace metal;

constant constexpr uint TILE = 16;
constant constexpr uint QUADS = 8;  // of four bytes along K, at a time

/// Four bytes of a row from `k` on; what is outside is 0.
inline char4 load(device const char* matrix, uint row, uint rows, uint k, uint K) {
  if (row >= rows || k >= K) return char4(0);
  device const char* from = matrix + row * K + k;
  if (k + 4 <= K) return char4(*(device const packed_char4*)from);
  char4 rest = 0;
  for (uint i = 0; i < K - k; ++i) rest[i] = from[i];
  return rest;
}

kernel void int8_product(device const char* A [[buffer(0)]],          // [M, K]
                         device const char* W [[buffer(1)]],          // [N, K]
                         device const float* A_scales [[buffer(2)]],  // [M]
                         device const float* W_scales [[buffer(3)]],  // [N]
                         device half* C [[buffer(4)]],                // [M, N]
                         constant uint3& size [[buffer(5)]],          // M, N, K
                         uint2 tile [[threadgroup_position_in_grid]],
                         uint2 at [[thread_position_in_threadgroup]],
                         uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup char4 A_tile[TILE][QUADS], W_tile[TILE][QUADS];
  const uint M = size.x, N = size.y, K = size.z;
  const uint row = tile.y * TILE + at.y, column = tile.x * TILE + at.x;
  // Half of the threads load A, the others W.
  const uint loaded_row = thread_index / QUADS % TILE, quad = thread_index % QUADS;

  int sum = 0;
  for (uint k = 0; k < K; k += 4 * QUADS) {
    if (thread_index < TILE * QUADS) {
      A_tile[loaded_row][quad] = load(A, tile.y * TILE + loaded_row, M, k + 4 * quad, K);
    } else {
      W_tile[loaded_row][quad] = load(W, tile.x * TILE + loaded_row, N, k + 4 * quad, K);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);  // the tiles are complete
    for (uint i = 0; i < QUADS; ++i) {
      const int4 products = int4(A_tile[at.y][i]) * int4(W_tile[at.x][i]);
      sum += products.x + products.y + products.z + products.w;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);  // everybody is done with them
  }
  if (row < M && column < N) C[row * N + column] = half(float(sum) * A_scales[row] * W_scales[column]);
}
