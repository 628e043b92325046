// y = W x, where W is kept in blocks of 32 weights along K: a scale, then two weights a byte. The low nibbles
// are the first 16 weights, the high nibbles the last 16; 8 means 0. A simdgroup computes two rows; two lanes
// share a block.
#include <metal_stdlib>
using namespace metal;

struct Block {
  half scale;
  uchar nibbles[16];
};

constant constexpr uint SIMDGROUPS = 2;
constant constexpr uint ROWS = 2;  // of a simdgroup

kernel void q4_matvec(device const Block* w [[buffer(0)]],  // [N, K / 32]
                      device const half* x [[buffer(1)]],   // [K]
                      device float* y [[buffer(2)]],        // [N]
                      constant uint& N [[buffer(3)]],
                      constant uint& K [[buffer(4)]],
                      uint threadgroup_position [[threadgroup_position_in_grid]],
                      uint simdgroup [[simdgroup_index_in_threadgroup]],
                      uint lane [[thread_index_in_simdgroup]]) {
  const uint blocks = K / 32;
  const uint row = (threadgroup_position * SIMDGROUPS + simdgroup) * ROWS;
  const uint part = lane % 2 * 8;  // of a block's bytes: the first eight, or the last

  float sums[ROWS] = {0, 0};
  for (uint block = lane / 2; block < blocks; block += 16) {
    device const half4* from = (device const half4*)(x + block * 32 + part);
    const float4 first[2] = {float4(from[0]), float4(from[1])};
    const float4 last[2] = {float4(from[4]), float4(from[5])};
    for (uint r = 0; r < ROWS && row + r < N; ++r) {
      device const Block& weights = w[(row + r) * blocks + block];
      float sum = 0;
      for (uint i = 0; i < 8; ++i) {
        const uint byte = weights.nibbles[part + i];
        sum += first[i / 4][i % 4] * (float(byte & 15) - 8);
        sum += last[i / 4][i % 4] * (float(byte >> 4) - 8);
      }
      sums[r] += float(weights.scale) * sum;
    }
  }
  for (uint r = 0; r < ROWS; ++r) {
    const float sum = simd_sum(sums[r]);
    if (lane == 0 && row + r < N) y[row + r] = sum;
  }
}
