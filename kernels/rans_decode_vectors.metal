// Symbols out of rANS tiles, four streams a lane: their states are the components of vectors, so a tile of 32
// streams takes eight lanes, and four steps that do not wait for each other stand side by side in each.
#include "include/rans.h"

/// Four adjacent streams. One that cannot be read, or is not there, has state 0 and no bytes.
struct RansStreams {
  uint4 state, next, end, checksum;
};

inline RansStreams open_streams(thread const RansMatrix& rans, uint first, bool4 exists) {
  RansStreams streams;
  for (uint i = 0; i < 4; ++i) {
    RansStream stream = {};
    if (exists[i]) stream = open_stream(rans, first + i);
    streams.state[i] = stream.state;
    streams.next[i] = stream.next;
    streams.end[i] = stream.end;
    streams.checksum[i] = stream.checksum;
  }
  return streams;
}

/// The next symbol of each stream that is due; the others stay as they are.
inline uint4 decode_symbols(thread RansStreams& streams, device const uchar* data,
                            threadgroup const RansTable& table, bool4 due) {
  const uint4 slot = streams.state & (RANS_SLOTS - 1);
  uint4 symbol, freq, below;
  for (uint i = 0; i < 4; ++i) {
    symbol[i] = table.symbol[slot[i]];
    freq[i] = table.freq[symbol[i]];
    below[i] = table.cumfreq[symbol[i]];
  }
  const uint4 state = freq * (streams.state >> RANS_SCALE_BITS) + slot - below;
  streams.state = select(streams.state, state, due);
  streams.checksum = select(streams.checksum, (streams.checksum ^ symbol) * 0x01000193u, due);
  for (;;) {
    const bool4 reads = due & (streams.state < RANS_LOWER_BOUND) & (streams.next < streams.end);
    if (!any(reads)) return symbol;
    uint4 bytes = 0;
    for (uint i = 0; i < 4; ++i) {
      if (reads[i]) bytes[i] = data[streams.next[i]];
    }
    streams.state = select(streams.state, streams.state << 8 | bytes, reads);
    streams.next += uint4(reads);
  }
}

kernel void rans_decode_vectors(
    device const ushort* freq [[buffer(0)]],         // [tiles, 16]
    device const uint* stream_offset [[buffer(1)]],  // [tiles, streams]
    device const uint* n_symbols [[buffer(2)]],      // [tiles]
    device const uint* checksums [[buffer(3)]],      // [tiles, streams]
    device const uchar* data [[buffer(4)]],          // [data_bytes]
    device uchar* symbols [[buffer(5)]],             // [M, N]
    device uint* status [[buffer(6)]],               // [tiles]: 0 where sound
    constant uint& M [[buffer(7)]], constant uint& N [[buffer(8)]], constant uint& tile_rows [[buffer(9)]],
    constant uint& tile_cols [[buffer(10)]],
    constant uint& streams [[buffer(11)]],  // 1 to 32
    constant uint& data_bytes [[buffer(12)]], uint2 position [[threadgroup_position_in_grid]],
    uint2 tiles [[threadgroups_per_grid]], uint lane [[thread_index_in_simdgroup]]) {
  threadgroup RansTable table;

  const RansMatrix rans = {freq, stream_offset, n_symbols,         checksums,
                           data, data_bytes,    tiles.x * tiles.y, streams};
  const uint tile = position.y * tiles.x + position.x;
  const uint row = position.y * tile_rows, column = position.x * tile_cols;
  const uint rows = min(tile_rows, M - row), columns = min(tile_cols, N - column);
  const uint4 mine = 4 * lane + uint4(0, 1, 2, 3);
  const bool4 exists = mine < streams;

  bool sound = build_table(freq + tile * RANS_SYMBOLS, table, lane, 32) && n_symbols[tile] == rows * columns;
  threadgroup_barrier(mem_flags::mem_threadgroup);  // the table is complete
  if (sound && exists.x) {
    RansStreams opened = open_streams(rans, tile * streams + mine.x, exists);
    for (uint4 i = mine; i.x < rows * columns; i += streams) {
      const bool4 due = exists & (i < rows * columns);
      const uint4 decoded = decode_symbols(opened, data, table, due);
      for (uint part = 0; part < 4; ++part) {
        if (due[part]) {
          symbols[(row + i[part] / columns) * N + column + i[part] % columns] = decoded[part];
        }
      }
    }
    for (uint part = 0; part < 4; ++part) {
      const RansStream stream = {opened.state[part], opened.next[part], opened.end[part],
                                 opened.checksum[part]};
      if (exists[part] && !is_sound(stream, checksums[tile * streams + mine[part]])) sound = false;
    }
  }
  sound = simd_all(sound);
  if (!sound && exists.x) {  // each lane over what it wrote itself
    for (uint4 i = mine; i.x < rows * columns; i += streams) {
      for (uint part = 0; part < 4; ++part) {
        if (exists[part] && i[part] < rows * columns) {
          symbols[(row + i[part] / columns) * N + column + i[part] % columns] = RANS_NO_SYMBOL;
        }
      }
    }
  }
  if (lane == 0) status[tile] = sound ? 0 : 1;
}
