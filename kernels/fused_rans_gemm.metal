// y = x W^T for a batch of x with rANS weights: a threadgroup computes the outputs of one row of tiles. Each
// tile is decoded once, into threadgroup memory, and multiplied with the whole batch.
#include "include/rans.h"

#ifndef RANS_TILE_ROWS
#define RANS_TILE_ROWS 64
#endif
#ifndef RANS_TILE_COLS
#define RANS_TILE_COLS 64
#endif
#define THREADS 128

kernel void fused_rans_gemm(
    device const ushort* freq [[buffer(0)]],         // [tiles, 16]
    device const uint* stream_offset [[buffer(1)]],  // [tiles, streams]
    device const uint* n_symbols [[buffer(2)]],      // [tiles]
    device const uint* checksums [[buffer(3)]],      // [tiles, streams]
    device const uchar* data [[buffer(4)]],          // [data_bytes]
    constant float& scale [[buffer(5)]], constant float& zero_point [[buffer(6)]],
    device const float* x [[buffer(7)]],  // [batch, N]
    device float* y [[buffer(8)]],        // [batch, M]: NaN in rows of damaged tiles
    device uint* status [[buffer(9)]],    // [tiles]: 0 where sound
    constant uint& batch [[buffer(10)]], constant uint& M [[buffer(11)]], constant uint& N [[buffer(12)]],
    constant uint& streams [[buffer(13)]],  // 1 to 32
    constant uint& data_bytes [[buffer(14)]], uint tile_row [[threadgroup_position_in_grid]],
    uint tiles_down [[threadgroups_per_grid]], uint thread_index [[thread_index_in_threadgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]]) {
  threadgroup RansTable table;
  threadgroup float weights[RANS_TILE_COLS * RANS_TILE_ROWS];  // column by column
  threadgroup uint tile_is_sound;

  const uint tiles_across = (N + RANS_TILE_COLS - 1) / RANS_TILE_COLS;
  const RansMatrix rans = {
      freq, stream_offset, n_symbols, checksums, data, data_bytes, tiles_down * tiles_across, streams};
  const uint row = tile_row * RANS_TILE_ROWS;
  const uint rows = min(uint(RANS_TILE_ROWS), M - row);

  RansStream stream;  // of this lane
  bool all_sound = true;
  for (uint tile_column = 0; tile_column < tiles_across; ++tile_column) {
    const uint tile = tile_row * tiles_across + tile_column;
    const uint column = tile_column * RANS_TILE_COLS;
    const uint columns = min(uint(RANS_TILE_COLS), N - column);

    // The barrier in here also keeps the next weights from those that still multiply the last.
    bool sound = build_table(freq + tile * RANS_SYMBOLS, table, thread_index, THREADS);
    threadgroup_barrier(mem_flags::mem_threadgroup);  // the table is complete
    if (simdgroup == 0) {
      sound = sound && n_symbols[tile] == rows * columns;
      if (sound && lane < streams) {
        stream = open_stream(rans, tile * streams + lane);
        for (uint i = lane; i < rows * columns; i += streams) {
          const float weight = float(decode_symbol(stream, data, table)) * scale + zero_point;
          weights[i % columns * RANS_TILE_ROWS + i / columns] = weight;
        }
        sound = is_sound(stream, checksums[tile * streams + lane]);
      }
      sound = simd_all(sound);
      if (lane == 0) {
        tile_is_sound = sound ? 1 : 0;
        status[tile] = sound ? 0 : 1;
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);  // the weights are complete
    all_sound = all_sound && tile_is_sound == 1;
    if (all_sound) {
      // An element of y is always the same thread's, so it may gather its sum in device memory.
      for (uint i = thread_index; i < batch * rows; i += THREADS) {
        device float* out = y + i / rows * M + row + i % rows;
        device const float* in = x + i / rows * N + column;
        float sum = tile_column == 0 ? 0 : *out;
        for (uint c = 0; c < columns; ++c) sum += weights[c * RANS_TILE_ROWS + i % rows] * in[c];
        *out = sum;
      }
    }
  }
  if (all_sound) return;
  for (uint i = thread_index; i < batch * rows; i += THREADS) y[i / rows * M + row + i % rows] = RANS_NO_SUM;
}
