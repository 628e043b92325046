#include "properties/operations/rans/rans_counterfactuals.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "properties/operations/rans/rans_tensors.hpp"
#include "reference/rans_frequencies.hpp"
#include "reference/rans_stream.hpp"
#include "reference/shape.hpp"

namespace assay::properties {
namespace {

using reference::kRansLowerBound;
using reference::kRansSlots;
using reference::kRansSymbols;
using reference::RansTiles;
using reference::RansView;

/// What a decoder does otherwise than docs/rans.md says.
struct Fault {
  const char* words;
  bool one_byte_a_step = false, reads_at_bound = false;
  std::uint32_t slot_mask = kRansSlots - 1;
  bool first_slot_to_the_one_before = false;
  bool any_start = false, any_end = false, bytes_left = false, any_checksum = false,
       first_stream_only = false;
  bool along_columns = false, dealt_in_runs = false;
};

constexpr Fault kFaults[] = {
    {.words = "a step read one byte at most, where a rare symbol needs two", .one_byte_a_step = true},
    {.words = "a byte were read at state 2^23 as well, not only below it", .reads_at_bound = true},
    {.words = "slots were the lowest 11 bits of the state, rather than 12", .slot_mask = kRansSlots / 2 - 1},
    {.words = "the first slot of each symbol belonged to the symbol before",
     .first_slot_to_the_one_before = true},
    {.words = "start states below 2^23 were sound", .any_start = true},
    {.words = "the state at the end of a stream did not matter", .any_end = true},
    {.words = "bytes left over at the end of a stream did not matter", .bytes_left = true},
    {.words = "checksums did not matter", .any_checksum = true},
    {.words = "only stream 0 of a tile could be damaged", .first_stream_only = true},
    {.words = "the symbols of a tile stood along its columns", .along_columns = true},
    {.words = "streams held runs of a tile's symbols, rather than every n-th of them", .dealt_in_runs = true},
};

/// Nothing here trusts the data more than the kernels do: every index is masked or checked.
class Decoder {
 public:
  Decoder(const RansView& view, const Fault& fault) : view_(view), fault_(fault) {}

  RansTiles decode() {
    const auto& layout = view_.layout;
    RansTiles all{std::vector<std::uint8_t>(layout.M * layout.N), {}};
    for (std::size_t index = 0; index < layout.tiles(); ++index) {
      const auto tile = layout.tile(index);
      std::vector<std::uint8_t> symbols(tile.size());
      all.sound.push_back(decode_tile(index, symbols));
      for (std::size_t i = 0; i < symbols.size() && all.sound.back(); ++i) {
        const std::size_t row = fault_.along_columns ? i % tile.rows : i / tile.columns;
        const std::size_t column = fault_.along_columns ? i / tile.rows : i % tile.columns;
        all.symbols[(tile.row + row) * layout.N + tile.column + column] = symbols[i];
      }
    }
    return all;
  }

 private:
  struct Stream {
    std::uint32_t state = 0;
    std::span<const std::uint8_t> bytes;
    std::size_t next = 0;
  };

  bool decode_tile(std::size_t index, std::vector<std::uint8_t>& symbols) {
    const auto freq = view_.freq.subspan(index * kRansSymbols).first<kRansSymbols>();
    if (reference::frequency_sum(freq) != kRansSlots || view_.n_symbols[index] != symbols.size())
      return false;
    build_table(freq);
    const std::size_t streams = view_.layout.streams;
    bool sound = true;
    for (std::size_t s = 0; s < streams; ++s) {
      Stream stream = open(index * streams + s);
      const std::size_t run = reference::ceil_div(symbols.size(), streams);
      const std::size_t begin = fault_.dealt_in_runs ? std::min(s * run, symbols.size()) : s;
      const std::size_t end = fault_.dealt_in_runs ? std::min(begin + run, symbols.size()) : symbols.size();
      const std::size_t stride = fault_.dealt_in_runs ? 1 : streams;
      for (std::size_t i = begin; i < end; i += stride) symbols[i] = step(stream, freq);
      const std::uint32_t checksum = reference::symbol_checksum(std::span(symbols).first(end), begin, stride);
      const bool fine = (stream.state == kRansLowerBound || fault_.any_end) &&
                        (stream.next == stream.bytes.size() || fault_.bytes_left) &&
                        (checksum == view_.checksums[index * streams + s] || fault_.any_checksum);
      sound = sound && (fine || (fault_.first_stream_only && s > 0));
    }
    return sound;
  }

  void build_table(std::span<const std::uint16_t, kRansSymbols> freq) {
    first_ = {};
    for (std::size_t s = 0; s < kRansSymbols; ++s) first_[s + 1] = first_[s] + freq[s];
    std::uint8_t symbol = 0;
    for (std::uint32_t slot = 0; slot < kRansSlots; ++slot) {
      while (slot >= first_[symbol + 1U] + (fault_.first_slot_to_the_one_before ? 1 : 0)) ++symbol;
      table_[slot] = symbol;
    }
  }

  Stream open(std::size_t index) const {
    const std::size_t begin = view_.stream_offset[index];
    const std::size_t end =
        index + 1 < view_.stream_offset.size() ? view_.stream_offset[index + 1] : view_.data.size();
    if (begin > end || end > view_.data.size() || end - begin < reference::kRansStateBytes) return {};
    Stream stream;
    for (std::size_t b = 0; b < reference::kRansStateBytes; ++b)
      stream.state |= static_cast<std::uint32_t>(view_.data[begin + b]) << 8 * b;
    if (stream.state < kRansLowerBound && !fault_.any_start) return {};
    stream.bytes = view_.data.subspan(begin, end - begin);
    stream.next = reference::kRansStateBytes;
    return stream;
  }

  std::uint8_t step(Stream& stream, std::span<const std::uint16_t, kRansSymbols> freq) const {
    const std::uint32_t slot = stream.state & fault_.slot_mask;
    const std::uint8_t symbol = table_[slot];
    stream.state = freq[symbol] * (stream.state >> reference::kRansScaleBits) + slot - first_[symbol];
    while ((stream.state < kRansLowerBound || (fault_.reads_at_bound && stream.state == kRansLowerBound)) &&
           stream.next < stream.bytes.size()) {
      stream.state = stream.state << 8 | stream.bytes[stream.next++];
      if (fault_.one_byte_a_step) break;
    }
    return symbol;
  }

  const RansView& view_;
  const Fault& fault_;
  std::array<std::uint8_t, kRansSlots> table_{};
  std::array<std::uint32_t, kRansSymbols + 1> first_{};
};

}  // namespace

std::vector<OtherDecoding> other_decodings(const Problem& problem) {
  const RansView view = rans_view(problem);
  std::vector<OtherDecoding> all;
  for (const Fault& fault : kFaults) all.push_back({fault.words, Decoder(view, fault).decode()});
  return all;
}

}  // namespace assay::properties
