// Symbols out of rANS tiles: a tile a threadgroup of one simdgroup, a stream a lane.
#include "include/rans.h"

kernel void rans_decode(device const ushort* freq [[buffer(0)]],         // [tiles, 16]
                        device const uint* stream_offset [[buffer(1)]],  // [tiles, streams]
                        device const uint* n_symbols [[buffer(2)]],      // [tiles]
                        device const uint* checksums [[buffer(3)]],      // [tiles, streams]
                        device const uchar* data [[buffer(4)]],          // [data_bytes]
                        device uchar* symbols [[buffer(5)]],             // [M, N]
                        device uint* status [[buffer(6)]],               // [tiles]: 0 where sound
                        constant uint& M [[buffer(7)]], constant uint& N [[buffer(8)]],
                        constant uint& tile_rows [[buffer(9)]], constant uint& tile_cols [[buffer(10)]],
                        constant uint& streams [[buffer(11)]],  // 1 to 32
                        constant uint& data_bytes [[buffer(12)]],
                        uint2 position [[threadgroup_position_in_grid]],
                        uint2 tiles [[threadgroups_per_grid]], uint lane [[thread_index_in_simdgroup]]) {
  threadgroup RansTable table;

  const RansMatrix rans = {freq, stream_offset, n_symbols,         checksums,
                           data, data_bytes,    tiles.x * tiles.y, streams};
  const uint tile = position.y * tiles.x + position.x;
  const uint row = position.y * tile_rows, column = position.x * tile_cols;
  const uint rows = min(tile_rows, M - row), columns = min(tile_cols, N - column);

  bool sound = build_table(freq + tile * RANS_SYMBOLS, table, lane, 32) && n_symbols[tile] == rows * columns;
  threadgroup_barrier(mem_flags::mem_threadgroup);  // the table is complete
  if (sound && lane < streams) {
    RansStream stream = open_stream(rans, tile * streams + lane);
    for (uint i = lane; i < rows * columns; i += streams) {
      symbols[(row + i / columns) * N + column + i % columns] = decode_symbol(stream, data, table);
    }
    sound = is_sound(stream, checksums[tile * streams + lane]);
  }
  sound = simd_all(sound);
  if (!sound && lane < streams) {  // each lane over what it wrote itself
    for (uint i = lane; i < rows * columns; i += streams) {
      symbols[(row + i / columns) * N + column + i % columns] = RANS_NO_SYMBOL;
    }
  }
  if (lane == 0) status[tile] = sound ? 0 : 1;
}
