// y = W x with rANS weights that are never stored: a row a tile and a threadgroup of one simdgroup, a stream
// a lane. Each weight is decoded into a register, multiplied and gone.
#include "include/rans.h"

kernel void fused_rans_gemv(device const ushort* freq [[buffer(0)]],         // [M, 16]
                            device const uint* stream_offset [[buffer(1)]],  // [M, streams]
                            device const uint* n_symbols [[buffer(2)]],      // [M]
                            device const uint* checksums [[buffer(3)]],      // [M, streams]
                            device const uchar* data [[buffer(4)]],          // [data_bytes]
                            constant float& scale [[buffer(5)]], constant float& zero_point [[buffer(6)]],
                            device const float* x [[buffer(7)]],  // [N]
                            device float* y [[buffer(8)]],        // [M]: NaN where the row is damaged
                            device uint* status [[buffer(9)]],    // [M]: 0 where sound
                            constant uint& N [[buffer(10)]],
                            constant uint& streams [[buffer(11)]],  // 1 to 32
                            constant uint& data_bytes [[buffer(12)]],
                            uint row [[threadgroup_position_in_grid]], uint rows [[threadgroups_per_grid]],
                            uint lane [[thread_index_in_simdgroup]]) {
  threadgroup RansTable table;

  const RansMatrix rans = {freq, stream_offset, n_symbols, checksums, data, data_bytes, rows, streams};
  bool sound = build_table(freq + row * RANS_SYMBOLS, table, lane, 32) && n_symbols[row] == N;
  threadgroup_barrier(mem_flags::mem_threadgroup);  // the table is complete
  float sum = 0;
  if (sound && lane < streams) {
    RansStream stream = open_stream(rans, row * streams + lane);
    for (uint column = lane; column < N; column += streams) {
      const float weight = float(decode_symbol(stream, data, table)) * scale + zero_point;
      sum += weight * x[column];
    }
    sound = is_sound(stream, checksums[row * streams + lane]);
  }
  sum = simd_sum(sum);
  sound = simd_all(sound);
  if (lane == 0) {
    y[row] = sound ? sum : RANS_NO_SUM;
    status[row] = sound ? 0 : 1;
  }
}
