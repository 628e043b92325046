// Packed weights to W in device memory, for any form of weights.
#pragma once

#include "tile.h"

/// The thread at (x, y) writes W[8y .. 8y+7][x], as far as that lies in W [K, N].
template <typename Weights>
inline void dequantize(thread const Weights& weights, device half* W, uint2 position) {
  const Shape shape = weights.shape;
  const uint column = position.x;
  const uint k = position.y * 8;
  if (k >= shape.K || column >= shape.N) return;

  half eight[8];
  weights.column_of_eight(k, column, eight);
  for (uint i = 0; i < 8 && k + i < shape.K; ++i) W[(k + i) * shape.N + column] = eight[i];
}
