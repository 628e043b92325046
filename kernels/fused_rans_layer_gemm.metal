// y = x W^T for a batch of x with rANS weights whose layer is one buffer: the grid, the decoding and the
// product of fused_rans_gemm_tiled over another form of weights.
#include "include/rans_layer.h"
#include "include/rans_tiles.h"

kernel void fused_rans_layer_gemm(device const RansLayer* layer [[buffer(0)]],  // and tiles, data
                                  device const float* x [[buffer(1)]],          // [batch, N]
                                  device float* y [[buffer(2)]],                // [batch, M]
                                  constant uint3& size [[buffer(3)]],           // batch, M, N
                                  constant uint& data_bytes [[buffer(4)]],
                                  uint2 position [[threadgroup_position_in_grid]],
                                  uint thread_index [[thread_index_in_threadgroup]],
                                  uint simdgroup [[simdgroup_index_in_threadgroup]],
                                  uint lane [[thread_index_in_simdgroup]]) {
  threadgroup RansShares shares;

  const RansLayerWeights weights = weights_of(layer, data_bytes);
  gemm_rans(weights, x, y, {size.x, size.y, size.z}, position, thread_index, simdgroup, lane, shares);
}
