// y = W x with rANS weights whose layer is one buffer: a row a tile and a threadgroup of one simdgroup, a
// stream a lane. How long a row is stands in its record.
#include "include/rans_layer.h"

kernel void fused_rans_layer_gemv(device const RansLayer* layer [[buffer(0)]],  // and tiles [M], data
                                  device const float* x [[buffer(1)]],          // [N]
                                  device float* y [[buffer(2)]],                // [M]
                                  constant uint& data_bytes [[buffer(3)]],
                                  uint row [[threadgroup_position_in_grid]],
                                  uint lane [[thread_index_in_simdgroup]]) {
  threadgroup RansTable table;

  const RansLayerWeights weights = weights_of(layer, data_bytes);
  weights.cumulate_tile(row, table, lane);
  threadgroup_barrier(mem_flags::mem_threadgroup);  // cumfreq is complete
  fill_symbols(table, lane, 32);
  threadgroup_barrier(mem_flags::mem_threadgroup);  // the table is complete
  PrefetchedStream stream = prefetch(weights.open(row, lane), weights.data);
  float sum = 0;
  for (uint column = lane; column < weights.symbols(row); column += RANS_STREAMS) {
    const float symbol = decode_symbol(stream, weights.data, table);
    sum += (symbol * weights.scale + weights.zero_point) * x[column];
  }
  sum = simd_sum(sum);
  if (lane == 0) y[row] = sum;
}
