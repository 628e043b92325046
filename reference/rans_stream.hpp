// rANS streams: range asymmetric numeral systems (Duda, Asymmetric numeral systems, 2013; Giesen, Interleaved
// entropy coders, 2014) with 12-bit frequencies, a 32-bit state of at least 2^23 and bytes to renormalise.
//
// A stream is its start state, four bytes with the lowest first, then the bytes in the order in which a
// decoder reads them. The encoder begins at state 2^23, so the decoder ends there, with every byte read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/rans_frequencies.hpp"

namespace assay::reference {

inline constexpr std::uint32_t kRansLowerBound = 1U << 23;
inline constexpr std::size_t kRansStateBytes = 4;

/// What an encoder makes of its state by a symbol of that frequency and first slot, once it has given out
/// bytes until the state is below 2^19 * frequency. Undone by RansTable::take().
constexpr std::uint32_t put_symbol(std::uint32_t state, std::uint32_t frequency, std::uint32_t first_slot) {
  return (state / frequency << kRansScaleBits) + state % frequency + first_slot;
}

/// The stream of symbols[first], symbols[first + stride], ...; none of them is an empty stream of four bytes.
/// Frequencies must sum to 4096 and be above 0 for every symbol that occurs: std::invalid_argument otherwise.
std::vector<std::uint8_t> encode_stream(std::span<const std::uint8_t> symbols, std::size_t first,
                                        std::size_t stride, const RansFrequencies& frequencies);

/// What a decoder looks up: for each of the 4096 slots its symbol, that symbol's frequency and the slot's
/// distance from the symbol's first slot, packed in a word.
class RansTable {
 public:
  /// Throws std::invalid_argument unless the frequencies sum to 4096.
  explicit RansTable(std::span<const std::uint16_t, kRansSymbols> frequencies);

  /// One step: the symbol of `state`, which becomes what is left before bytes are read.
  std::uint8_t take(std::uint32_t& state) const {
    const std::uint32_t entry = entries_[state & (kRansSlots - 1)];
    state = (entry >> 16) * (state >> kRansScaleBits) + (entry >> 4 & 0xFFF);
    return static_cast<std::uint8_t>(entry & 0xF);
  }

 private:
  std::array<std::uint32_t, kRansSlots> entries_;  ///< frequency << 16 | distance << 4 | symbol
};

/// Decodes symbols.size() symbols, number i from stream i % streams.size(), all streams side by side. False
/// unless every stream is sound: at least four bytes, a start state of at least 2^23, and after its last
/// symbol state 2^23 with every byte read. Reads nothing outside the streams, whatever they hold; symbols are
/// below 16.
bool decode_streams(const RansTable& table, std::span<const std::span<const std::uint8_t>> streams,
                    std::span<std::uint8_t> symbols);

/// FNV-1a, 32 bits, of the bytes symbols[first], symbols[first + stride], ...
/// No state of a decoder is a checksum: where all frequencies are powers of two, a stream is a code without
/// redundancy, and a flipped bit is another symbol and nothing else.
std::uint32_t symbol_checksum(std::span<const std::uint8_t> symbols, std::size_t first, std::size_t stride);

}  // namespace assay::reference
