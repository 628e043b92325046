#include "reference/rans_stream.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace assay::reference {
namespace {

/// Below this a state needs two bytes to come back to the lower bound.
constexpr std::uint32_t kTwoBytesBelow = kRansLowerBound >> 8;
constexpr std::size_t kMostBytesAStep = 2;
/// How many bytes a step without branches looks at, whether it takes them or not.
constexpr std::size_t kBytesAhead = 4;
/// As many streams as have their states in registers.
constexpr std::size_t kTogether = 4;

std::uint32_t highest_first(const std::uint8_t* bytes) {
  return static_cast<std::uint32_t>(bytes[0]) << 24 | static_cast<std::uint32_t>(bytes[1]) << 16 |
         static_cast<std::uint32_t>(bytes[2]) << 8 | bytes[3];
}

void check_sum(std::span<const std::uint16_t, kRansSymbols> frequencies) {
  const std::uint32_t sum = frequency_sum(frequencies);
  if (sum != kRansSlots) {
    throw std::invalid_argument("freq: sums to " + std::to_string(sum) + ", must be 4096");
  }
}

struct Reader {
  std::uint32_t state = kRansLowerBound;
  const std::uint8_t* next = nullptr;
  const std::uint8_t* end = nullptr;

  std::size_t left() const { return static_cast<std::size_t>(end - next); }

  /// A step that may be the last for which there are bytes. A state that finds none stays below the lower
  /// bound for good, for no step makes it larger, so the stream is not sound in the end.
  std::uint8_t step(const RansTable& table) {
    const std::uint8_t symbol = table.take(state);
    while (state < kRansLowerBound && next != end) state = state << 8 | *next++;
    return symbol;
  }
};

/// `rounds` symbols of each of G streams, to out[0], out[stride], ...: G chains of dependent steps that a
/// processor overlaps. Without branches, for a sound stream's bytes cannot be foretold.
template <std::size_t G>
void decode_together(const RansTable& table, std::span<Reader> readers, std::size_t rounds, std::uint8_t* out,
                     std::size_t stride) {
  while (rounds > 0) {
    std::size_t certain = rounds;  // for these every stream has all the bytes that a step may look at
    for (const Reader& one : readers) {
      const std::size_t beside = one.left() < kBytesAhead ? 0 : one.left() - kBytesAhead + kMostBytesAStep;
      certain = std::min(certain, beside / kMostBytesAStep);
    }
    if (certain == 0) {
      for (std::size_t s = 0; s < G; ++s) out[s] = readers[s].step(table);
      out += stride;
      --rounds;
      continue;
    }
    std::array<std::uint32_t, G> state;
    std::array<const std::uint8_t*, G> next;
    for (std::size_t s = 0; s < G; ++s) {
      state[s] = readers[s].state;
      next[s] = readers[s].next;
    }
    for (std::size_t round = 0; round < certain; ++round, out += stride) {
      for (std::size_t s = 0; s < G; ++s) {
        std::uint32_t x = state[s];
        out[s] = table.take(x);
        const std::uint32_t bytes = (x < kRansLowerBound ? 1U : 0U) + (x < kTwoBytesBelow ? 1U : 0U);
        const std::uint64_t with_bytes = std::uint64_t{x} << 32 | highest_first(next[s]);
        state[s] = static_cast<std::uint32_t>(with_bytes << (8 * bytes) >> 32);
        next[s] += bytes;
      }
    }
    for (std::size_t s = 0; s < G; ++s) {
      readers[s].state = state[s];
      readers[s].next = next[s];
    }
    rounds -= certain;
  }
}

}  // namespace

std::vector<std::uint8_t> encode_stream(std::span<const std::uint8_t> symbols, std::size_t first,
                                        std::size_t stride, const RansFrequencies& frequencies) {
  if (stride == 0) throw std::invalid_argument("streams: must be at least 1, is 0");
  check_sum(frequencies);
  std::array<std::uint32_t, kRansSymbols> first_slot{};
  for (std::size_t s = 1; s < kRansSymbols; ++s) first_slot[s] = first_slot[s - 1] + frequencies[s - 1];
  const std::size_t count = first < symbols.size() ? (symbols.size() - first - 1) / stride + 1 : 0;
  std::vector<std::uint8_t> backwards;
  std::uint32_t state = kRansLowerBound;
  for (std::size_t i = count; i-- > 0;) {
    const std::uint8_t symbol = symbols[first + i * stride];
    const std::uint32_t frequency = symbol < kRansSymbols ? frequencies[symbol] : 0;
    if (frequency == 0) {
      throw std::invalid_argument("symbols: element " + std::to_string(first + i * stride) + " is " +
                                  std::to_string(symbol) + ", which has frequency 0");
    }
    // The decoder renormalises to [2^23, 2^31) after the symbol, so the state must be in reach of that.
    const std::uint64_t limit = std::uint64_t{kRansLowerBound >> kRansScaleBits << 8} * frequency;
    while (state >= limit) {
      backwards.push_back(static_cast<std::uint8_t>(state));
      state >>= 8;
    }
    state = put_symbol(state, frequency, first_slot[symbol]);
  }
  for (std::size_t i = kRansStateBytes; i-- > 0;) {
    backwards.push_back(static_cast<std::uint8_t>(state >> (8 * i)));
  }
  return {backwards.rbegin(), backwards.rend()};
}

RansTable::RansTable(std::span<const std::uint16_t, kRansSymbols> frequencies) {
  check_sum(frequencies);
  std::uint32_t slot = 0;
  for (std::uint32_t symbol = 0; symbol < kRansSymbols; ++symbol) {
    const std::uint32_t frequency = frequencies[symbol];
    for (std::uint32_t i = 0; i < frequency; ++i) entries_[slot++] = frequency << 16 | i << 4 | symbol;
  }
}

bool decode_streams(const RansTable& table, std::span<const std::span<const std::uint8_t>> streams,
                    std::span<std::uint8_t> symbols) {
  bool sound = true;
  std::vector<Reader> readers(streams.size());
  for (std::size_t s = 0; s < streams.size(); ++s) {
    const std::span<const std::uint8_t> stream = streams[s];
    if (stream.size() >= kRansStateBytes) {
      readers[s].state = static_cast<std::uint32_t>(stream[0]) | static_cast<std::uint32_t>(stream[1]) << 8 |
                         static_cast<std::uint32_t>(stream[2]) << 16 |
                         static_cast<std::uint32_t>(stream[3]) << 24;
      readers[s].next = stream.data() + kRansStateBytes;
      readers[s].end = stream.data() + stream.size();
    }
    sound &= stream.size() >= kRansStateBytes && readers[s].state >= kRansLowerBound;
  }
  if (!sound || streams.empty()) {
    std::fill(symbols.begin(), symbols.end(), std::uint8_t{0});
    return false;
  }
  const std::size_t rounds = symbols.size() / streams.size();
  for (std::size_t s = 0; rounds > 0 && s < readers.size();) {
    std::uint8_t* const out = symbols.data() + s;
    if (readers.size() - s >= kTogether) {
      decode_together<kTogether>(table, std::span(readers).subspan(s, kTogether), rounds, out,
                                 streams.size());
      s += kTogether;
    } else {
      decode_together<1>(table, std::span(readers).subspan(s, 1), rounds, out, streams.size());
      s += 1;
    }
  }
  for (std::size_t i = rounds * streams.size(); i < symbols.size(); ++i) {
    symbols[i] = readers[i % streams.size()].step(table);
  }
  for (const Reader& one : readers) sound &= one.state == kRansLowerBound && one.left() == 0;
  return sound;
}

std::uint32_t symbol_checksum(std::span<const std::uint8_t> symbols, std::size_t first, std::size_t stride) {
  constexpr std::uint32_t kOffsetBasis = 0x811C9DC5, kPrime = 0x01000193;
  std::uint32_t hash = kOffsetBasis;
  for (std::size_t i = first; i < symbols.size(); i += stride) hash = (hash ^ symbols[i]) * kPrime;
  return hash;
}

}  // namespace assay::reference
