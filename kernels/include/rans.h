// Weights as rANS streams: 16 symbols, 12-bit frequencies, a 32-bit state that bytes bring back to 2^23. A
// tile has its own frequencies and as many streams as lanes may decode it; symbol i is in stream i % streams.
//
// Nothing here reads outside `data`, whatever it and the tables hold, and what is damaged is never taken for
// weights: a tile is sound when its frequencies sum to 4096, it has the symbols that its size asks for, and
// every stream lies within `data`, ends at state 2^23 with its last byte and has the checksum of what was
// encoded.
#pragma once

#include <metal_simdgroup>
#include <metal_stdlib>
using namespace metal;

#define RANS_SYMBOLS 16
#define RANS_SCALE_BITS 12
#define RANS_SLOTS (1u << RANS_SCALE_BITS)
#define RANS_LOWER_BOUND (1u << 23)
#define RANS_STATE_BYTES 4

/// Written where a tile is damaged: NaN for a sum, and what is no symbol.
#define RANS_NO_SUM as_type<float>(0x7FC00000u)
#define RANS_NO_SYMBOL 0xFF

struct RansMatrix {
  device const ushort* freq;  // [tiles, 16]
  device const uint*
      stream_offset;             // [tiles, streams]; a stream ends where the next begins, the last with data
  device const uint* n_symbols;  // [tiles]
  device const uint* checksums;  // [tiles, streams]: FNV-1a of each stream's symbols
  device const uchar* data;      // [data_bytes]
  uint data_bytes, tiles, streams;
};

/// The frequencies of a tile as its lanes look them up, in threadgroup memory.
struct RansTable {
  uchar symbol[RANS_SLOTS];
  ushort freq[RANS_SYMBOLS];
  uint cumfreq[RANS_SYMBOLS + 1];
};

/// The table's cumulated frequencies, by all threads; no lane may look into them before a barrier after this.
inline void cumulate(device const ushort* freq, threadgroup RansTable& table, uint thread_index) {
  if (thread_index <= RANS_SYMBOLS) {
    uint below = 0;
    for (uint s = 0; s < thread_index; ++s) below += freq[s];
    table.cumfreq[thread_index] = below;
    if (thread_index < RANS_SYMBOLS) table.freq[thread_index] = freq[thread_index];
  }
}

/// The table's symbols, by all threads; no lane may look into them before a barrier after this. False, to all
/// threads, where the frequencies do not sum to 4096.
inline bool fill_symbols(threadgroup RansTable& table, uint thread_index, uint threads) {
  if (table.cumfreq[RANS_SYMBOLS] != RANS_SLOTS) return false;
  uint symbol = 0;
  for (uint slot = thread_index; slot < RANS_SLOTS; slot += threads) {
    while (slot >= table.cumfreq[symbol + 1]) ++symbol;
    table.symbol[slot] = symbol;
  }
  return true;
}

/// Both, by all threads of a threadgroup.
inline bool build_table(device const ushort* freq, threadgroup RansTable& table, uint thread_index,
                        uint threads) {
  cumulate(freq, table, thread_index);
  threadgroup_barrier(mem_flags::mem_threadgroup);  // cumfreq is complete
  return fill_symbols(table, thread_index, threads);
}

/// One lane's stream. A stream that cannot be read has state 0 and no bytes, from which no step leads away,
/// so it is not sound in the end.
struct RansStream {
  uint state, next, end, checksum;
};

/// The stream in bytes [begin, end) of `data`.
inline RansStream open_stream(device const uchar* data, uint data_bytes, uint begin, uint end) {
  RansStream stream = {0, 0, 0, 0x811C9DC5u};
  if (begin > end || end > data_bytes || end - begin < RANS_STATE_BYTES) return stream;
  const uint state = uint(data[begin]) | uint(data[begin + 1]) << 8 | uint(data[begin + 2]) << 16 |
                     uint(data[begin + 3]) << 24;
  if (state < RANS_LOWER_BOUND) return stream;
  stream.state = state;
  stream.next = begin + RANS_STATE_BYTES;
  stream.end = end;
  return stream;
}

inline RansStream open_stream(thread const RansMatrix& rans, uint index) {
  const uint begin = rans.stream_offset[index];
  const uint end = index + 1 < rans.tiles * rans.streams ? rans.stream_offset[index + 1] : rans.data_bytes;
  return open_stream(rans.data, rans.data_bytes, begin, end);
}

/// The next symbol, ahead of the bytes that bring the state back to its bound.
inline uint step(thread RansStream& stream, threadgroup const RansTable& table) {
  const uint slot = stream.state & (RANS_SLOTS - 1);
  const uint symbol = table.symbol[slot];
  stream.state = table.freq[symbol] * (stream.state >> RANS_SCALE_BITS) + slot - table.cumfreq[symbol];
  stream.checksum = (stream.checksum ^ symbol) * 0x01000193u;
  return symbol;
}

inline uint decode_symbol(thread RansStream& stream, device const uchar* data,
                          threadgroup const RansTable& table) {
  const uint symbol = step(stream, table);
  while (stream.state < RANS_LOWER_BOUND && stream.next < stream.end) {
    stream.state = stream.state << 8 | data[stream.next++];
  }
  return symbol;
}

/// After the last symbol.
inline bool is_sound(thread const RansStream& stream, uint checksum) {
  return stream.state == RANS_LOWER_BOUND && stream.next == stream.end && stream.checksum == checksum;
}
