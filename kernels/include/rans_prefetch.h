// A rANS stream whose bytes are loaded before they are needed. Metal has no copy that goes on by itself, so a
// lane keeps the four bytes that it takes from and the four behind them: when the first four are used up it
// asks for four more, and decodes some symbols before it needs those.
#pragma once

#include "rans.h"

/// Up to four bytes, the next one lowest.
struct RansBytes {
  uint word, count;
};

/// Those from `begin` on that lie before `end`: one load where there are four. A stream may begin at any
/// byte, so the load is one of packed bytes, which need no alignment.
inline RansBytes load_bytes(device const uchar* data, uint begin, uint end) {
  RansBytes bytes = {0, min(end - begin, 4u)};
  if (bytes.count == 4) {
    bytes.word = as_type<uint>(uchar4(*(device const packed_uchar4*)(data + begin)));
  } else {
    for (uint i = 0; i < bytes.count; ++i) bytes.word |= uint(data[begin + i]) << (8 * i);
  }
  return bytes;
}

struct PrefetchedStream {
  RansStream stream;     // `next` is the first byte that is not loaded
  RansBytes now, ahead;  // `now` has no bytes only where none are left
};

inline void load_ahead(thread PrefetchedStream& prefetched, device const uchar* data) {
  prefetched.now = prefetched.ahead;
  prefetched.ahead = load_bytes(data, prefetched.stream.next, prefetched.stream.end);
  prefetched.stream.next += prefetched.ahead.count;
}

inline PrefetchedStream prefetch(RansStream stream, device const uchar* data) {
  PrefetchedStream prefetched = {stream, {0, 0}, {0, 0}};
  load_ahead(prefetched, data);
  load_ahead(prefetched, data);
  return prefetched;
}

inline uint decode_symbol(thread PrefetchedStream& prefetched, device const uchar* data,
                          threadgroup const RansTable& table) {
  const uint symbol = step(prefetched.stream, table);
  while (prefetched.stream.state < RANS_LOWER_BOUND && prefetched.now.count > 0) {
    prefetched.stream.state = prefetched.stream.state << 8 | (prefetched.now.word & 0xFF);
    prefetched.now.word >>= 8;
    if (--prefetched.now.count == 0) load_ahead(prefetched, data);
  }
  return symbol;
}

/// After the last symbol.
inline bool is_sound(thread const PrefetchedStream& prefetched, uint checksum) {
  return prefetched.now.count == 0 && is_sound(prefetched.stream, checksum);
}
