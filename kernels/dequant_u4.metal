// W = dequantized unsigned INT4 weights, one thread a packed word.
#include "include/dequantize.h"
#include "include/int4.h"

kernel void dequant_u4(device const uint* B [[buffer(0)]],       // [ceil(K / 8), N]
                       device const half* scales [[buffer(1)]],  // [groups, N]
                       device const half* zeros [[buffer(2)]],   // as scales
                       device half* W [[buffer(3)]],             // [K, N]
                       constant uint& K [[buffer(4)]],
                       constant uint& N [[buffer(5)]],
                       constant uint& group_size [[buffer(6)]],
                       uint2 position [[thread_position_in_grid]]) {
  const U4Weights weights = {B, scales, zeros, {0, N, K, group_size}};
  dequantize(weights, W, position);
}
