// Tiles of A and W into threadgroup memory, by the `threads` threads numbered 0 .. threads-1. What lies
// outside the matrices is 0, so that the multiplication needs to know nothing of edges.
#pragma once

#include "tile.h"

/// tile[TILE_M][TILE_K] = A[row.., k..]. Adjacent threads read adjacent elements.
inline void load_a(device const half* A, Shape shape, uint row, uint k, threadgroup half* tile,
                   uint thread_index, uint threads) {
  const uint column = thread_index % TILE_K;
  const bool inside_k = k + column < shape.K;
  for (uint r = thread_index / TILE_K; r < TILE_M; r += threads / TILE_K) {
    half element = 0;
    if (inside_k && row + r < shape.M) element = A[(row + r) * shape.K + k + column];
    tile[r * TILE_K + column] = element;
  }
}

/// tile[TILE_K][TILE_N] = W[k.., column..], dequantized. Each packed word is read once.
template <typename Weights>
inline void load_b(thread const Weights& weights, uint k_block, uint column, threadgroup half* tile,
                   uint thread_index, uint threads) {
  for (uint word = thread_index; word < TILE_K / 8 * TILE_N; word += threads) {
    const uint r = word / TILE_N * 8;
    const uint c = word % TILE_N;
    half eight[8];
    weights.column_of_eight(k_block + r, column + c, eight);
    for (uint i = 0; i < 8; ++i) tile[(r + i) * TILE_N + c] = eight[i];
  }
}
