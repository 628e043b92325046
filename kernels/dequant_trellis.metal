// W = dequantized trellis weights, one thread for eight rows of a column.
#include "include/dequantize.h"
#include "include/trellis.h"

kernel void dequant_trellis(device const uchar* packed_indices [[buffer(0)]],  // [K tiles, N tiles, 32*bits]
                            device const float* scales [[buffer(1)]],          // [groups, N]
                            device const float* grid [[buffer(2)]],            // [n_levels]
                            device const float* su [[buffer(3)]],              // [K]
                            device const float* sv [[buffer(4)]],              // [N]
                            device half* W [[buffer(5)]],                      // [K, N]
                            constant uint& K [[buffer(6)]],
                            constant uint& N [[buffer(7)]],
                            constant uint& group_size [[buffer(8)]],
                            constant uint& bits [[buffer(9)]],
                            constant uint& n_levels [[buffer(10)]],
                            uint2 position [[thread_position_in_grid]]) {
  const TrellisWeights weights = {packed_indices, scales, grid, su, sv, {0, N, K, group_size}, bits,
                                  n_levels};
  dequantize(weights, W, position);
}
