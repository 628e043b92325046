// A layer of rANS weights in one buffer: a header, a record a tile, then the bytes of all streams
// (docs/rans.md, "A layer in one buffer"). A struct cannot end in two arrays of open length, so what lies
// behind the header is found by the sizes of what lies before it.
#pragma once

#include "rans_prefetch.h"

#ifndef RANS_STREAMS
#define RANS_STREAMS 32  // of each tile: a record has an offset for each
#endif

struct RansTile {
  ushort freq[RANS_SYMBOLS];
  ushort cumfreq[RANS_SYMBOLS + 1];  // and two bytes that nothing is in
  uint stream_offset[RANS_STREAMS];  // from the first byte of all streams
  uint n_symbols;
};

struct RansLayer {
  float scale, zero_point;
  uint tiles_down, tiles_across;
};

/// A layer has no checksums, so that what is damaged in it goes unnoticed; nothing outside of it is read.
struct RansLayerWeights {
  device const RansTile* tiles;
  device const uchar* data;
  uint data_bytes, streams;
  float scale, zero_point;

  void cumulate_tile(uint tile, threadgroup RansTable& table, uint lane) const {
    if (lane < RANS_SYMBOLS) table.freq[lane] = tiles[tile].freq[lane];
    if (lane <= RANS_SYMBOLS) table.cumfreq[lane] = tiles[tile].cumfreq[lane];
  }
  uint symbols(uint tile) const { return tiles[tile].n_symbols; }
  // Nobody asks where a stream ends, so it may load ahead what is in the next: the buffer's end bounds all.
  RansStream open(uint tile, uint lane) const {
    return open_stream(data, data_bytes, tiles[tile].stream_offset[lane], data_bytes);
  }
  bool ends_well(uint, uint, thread const PrefetchedStream&) const { return true; }
  void tell(uint, bool) const {}
};

inline RansLayerWeights weights_of(device const RansLayer* layer, uint data_bytes) {
  device const RansTile* tiles = (device const RansTile*)(layer + 1);
  device const uchar* data = (device const uchar*)(tiles + layer->tiles_down * layer->tiles_across);
  return {tiles, data, data_bytes, RANS_STREAMS, layer->scale, layer->zero_point};
}
