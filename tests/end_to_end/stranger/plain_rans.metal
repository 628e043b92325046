// y = W x from rANS rows, as short as it can be: a thread a row, sound weights taken for granted.
#include <metal_stdlib>
using namespace metal;

kernel void plain_rans_gemv(device const ushort* freq [[buffer(0)]],
                            device const uint* stream_offset [[buffer(1)]],
                            device const uchar* data [[buffer(2)]],
                            constant float& scale [[buffer(3)]],
                            constant float& zero_point [[buffer(4)]],
                            device const float* x [[buffer(5)]],
                            device float* y [[buffer(6)]],
                            constant uint4& sizes [[buffer(7)]],  // M, N, streams, bytes of data
                            uint row [[thread_position_in_grid]]) {
  if (row >= sizes.x) return;
  float sum = 0;
  for (uint s = 0; s < sizes.z; ++s) {
    uint at = stream_offset[row * sizes.z + s];
    uint state = 0;
    for (uint i = 0; i < 4; ++i) state |= uint(data[at++]) << (8 * i);
    for (uint column = s; column < sizes.y; column += sizes.z) {
      const uint slot = state & 4095;
      uint symbol = 0, below = 0;
      while (slot >= below + freq[row * 16 + symbol]) below += freq[row * 16 + symbol++];
      state = freq[row * 16 + symbol] * (state >> 12) + slot - below;
      while (state < (1u << 23) && at < sizes.w) state = state << 8 | data[at++];
      sum += (float(symbol) * scale + zero_point) * x[column];
    }
  }
  y[row] = sum;
}
