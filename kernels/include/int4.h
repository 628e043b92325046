// INT4 weights with a scale and a zero point per group: U4 is 0..15, S4 is stored as value + 8.
//
// Defining INT4_FLOAT_CHAIN keeps everything in float up to the last rounding. Otherwise every operation
// rounds to half, and the S4 offset 8 + zero rounds before it is subtracted.
#pragma once

#include "tile.h"

/// Weights as the device holds them: eight codes along K in a word, lowest four bits first.
template <bool IsSigned>
struct Int4Weights {
  device const uint* packed;  // [ceil(K / 8), N]
  device const half* scales;  // [ceil(K / group_size), N]
  device const half* zeros;   // [ceil(K / group_size), N]
  Shape shape;

  /// W[k .. k+7][column] for k a multiple of 8. Elements outside W are 0: code 0 is none, it stands for
  /// -zero.
  void column_of_eight(uint k, uint column, thread half (&weights)[8]) const {
    uint word = 0;
    half scale = 0;
    half offset = 0;
    uint inside = 0;
    if (k < shape.K && column < shape.N) {
      const uint group = k / shape.group_size * shape.N + column;
      word = packed[k / 8 * shape.N + column];
      scale = scales[group];
      offset = offset_of(zeros[group]);
      inside = shape.K - k;
    }
    for (uint i = 0; i < 4; ++i) {
      const half2 pair = dequantize_pair((word >> (4 * i)) & 0x000F000F, scale, offset);
      weights[i] = i < inside ? pair.x : half(0);
      weights[i + 4] = i + 4 < inside ? pair.y : half(0);  // the mask takes nibbles i and i + 4
    }
  }

 private:
  // Magic bias: a code in the lowest mantissa bits of 1024 reads as 1024 + n, exactly. Under fast-math the
  // subtraction that takes 1024 away again must not join the one of the zero point: 1024 + zero rounds to an
  // integer. The pragma forbids it. Compilers older than the pragma are left with max(), which changes no
  // value here and keeps the two apart as long as nobody looks through it.
#ifdef INT4_FLOAT_CHAIN
  static half offset_of(half zero) { return zero; }

  static half2 dequantize_pair(uint codes, half scale, half zero) {
#pragma METAL fp math_mode(safe)
    const half2 biased = as_type<half2>(codes | 0x64006400);
    const half2 n = max(biased - half2(IsSigned ? 1032 : 1024), half2(IsSigned ? -8 : 0));
    return half2((float2(n) - float2(zero)) * float2(scale));
  }
#else
  // By way of float, which rounds the same: a sum of halves rounded to 24 bits and then to 11 is rounded
  // once.
  static half offset_of(half zero) { return IsSigned ? half(float(zero) + 8.0f) : zero; }

  static half2 dequantize_pair(uint codes, half scale, half offset) {
#pragma METAL fp math_mode(safe)
    const half2 biased = as_type<half2>(codes | 0x64006400);
    const half2 n = max(biased - half2(1024), half2(0));
    return (n - half2(offset)) * half2(scale);
  }
#endif
};

typedef Int4Weights<false> U4Weights;
typedef Int4Weights<true> S4Weights;
