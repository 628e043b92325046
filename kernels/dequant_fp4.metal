// W = dequantized FP4 weights, one thread a packed word.
#include "include/dequantize.h"
#include "include/fp4.h"

kernel void dequant_fp4(device const uint* B [[buffer(0)]],       // [ceil(K / 8), N]
                        device const half* scales [[buffer(1)]],  // [groups, N]
                        device half* W [[buffer(2)]],             // [K, N]
                        constant uint& K [[buffer(3)]],
                        constant uint& N [[buffer(4)]],
                        constant uint& group_size [[buffer(5)]],
                        uint2 position [[thread_position_in_grid]]) {
  const Fp4Weights weights = {B, scales, {0, N, K, group_size}};
  dequantize(weights, W, position);
}
