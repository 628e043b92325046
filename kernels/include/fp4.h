// FP4 E2M1 weights: one sign bit, two exponent bits (bias 1), one mantissa bit.
#pragma once

#include "tile.h"

/// Value of a code 0..15 by bits: no arithmetic that could round, no table. The exponent of a normal code
/// moves from bias 1 to bias 15; the subnormal codes are 0 and 0.5.
inline half fp4_to_half(uint code) {
  const uint sign = (code & 8) << 12;
  const uint exponent_and_mantissa = code & 7;
  const uint normal = (exponent_and_mantissa << 9) + (14 << 10);
  const uint subnormal = exponent_and_mantissa * 0x3800;
  return as_type<half>(ushort(sign | (exponent_and_mantissa < 2 ? subnormal : normal)));
}

/// Weights as the device holds them: eight codes along K in a word, lowest four bits first.
struct Fp4Weights {
  device const uint* packed;  // [ceil(K / 8), N]
  device const half* scales;  // [ceil(K / group_size), N]
  Shape shape;

  /// W[k .. k+7][column] for k a multiple of 8. Elements outside W are 0, whatever the scale next to them:
  /// 0 times an infinite scale would be NaN. A word lies in one group, a K tile may lie in several.
  void column_of_eight(uint k, uint column, thread half (&weights)[8]) const {
    uint word = 0;
    half scale = 0;
    uint inside = 0;
    if (k < shape.K && column < shape.N) {
      word = packed[k / 8 * shape.N + column];
      scale = scales[k / shape.group_size * shape.N + column];
      inside = shape.K - k;
    }
    for (uint i = 0; i < 8; ++i) {
      const uint code = (word >> (4 * i)) & 15;
      weights[i] = i < inside ? fp4_to_half(code) * scale : half(0);
    }
  }
};
