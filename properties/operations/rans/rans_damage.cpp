#include "properties/operations/rans/rans_damage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <span>

#include "properties/cases/draw.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/special_values.hpp"
#include "properties/operations/rans/rans_defects.hpp"
#include "properties/operations/rans/rans_tensors.hpp"
#include "reference/rans_stream.hpp"

namespace assay::properties {
namespace {

constexpr const char* kChecksums = "checksums";
constexpr int kChecksumBits = 32;

constexpr std::array kDamages = {
    "data that are cut off",     "an offset out of range",    "two offsets exchanged",
    "a wrong frequency",         "a unit of frequency moved", "a bit of the data flipped",
    "a wrong number of symbols", "a wrong checksum",          "a start state below the bound"};

struct Cut {
  const char* words;
  std::size_t left;     ///< bytes of the last stream that are left
  std::size_t missing;  ///< or so many are missing at its end
};
constexpr std::array<Cut, 7> kCuts = {{{"the last stream: cut by a byte", 0, 1},
                                       {"the last stream: cut by 2 bytes", 0, 2},
                                       {"the last stream: cut by 3 bytes", 0, 3},
                                       {"the last stream: cut inside its start state", 3, 0},
                                       {"the last stream: cut behind its start state", 4, 0},
                                       {"the last stream: cut a byte behind its start state", 5, 0},
                                       {"the last stream: cut 2 bytes behind its start state", 6, 0}}};

using Frequencies = std::span<const std::uint16_t, reference::kRansSymbols>;

/// Anything, just before or behind the end, where a sum with it wraps or a sign turns, or right in its low 16
/// bits.
std::uint32_t wrong_offset(std::uint32_t right, std::size_t size_bytes, const Words& words) {
  constexpr std::array<std::uint32_t, 6> kEdges = {0,           0x8000'0000, 0xFFFF'FFFF,
                                                   0xFFFF'FFFE, 0xFFFF'FFFD, 0xFFFF'FFFC};
  const std::uint32_t word = words[2];
  switch (words[1] % 4) {
    case 0:
      return word;
    case 1:
      return static_cast<std::uint32_t>(size_bytes) + 1 - word % 5;
    case 2:
      return kEdges[word % kEdges.size()];
    default:
      return word % 2 == 0 ? right + 0x1'0000 : right - 0x1'0000;
  }
}

/// How a stream begins whose encoder gave out a byte too many before its last step, which is a decoder's
/// first.
struct Start {
  std::uint32_t state;  ///< below 2^23
  std::uint8_t byte;    ///< the byte: the first to be read
};

/// `state` is the start state as it should be.
Start start_below(std::uint32_t state, Frequencies frequencies, const reference::RansTable& table) {
  const std::uint8_t symbol = table.take(state);  // and what the encoder had before that step
  const std::uint32_t first_slot = std::accumulate(frequencies.begin(), frequencies.begin() + symbol, 0U);
  return {reference::put_symbol(state >> 8, frequencies[symbol], first_slot),
          static_cast<std::uint8_t>(state)};
}

/// Of all streams that hold symbols, in the one where it stays nearest to the bound: everything but the start
/// state remains right, and a decoder that asks for less than 2^23 there has the least to let through.
void start_below_the_bound(Problem& filled) {
  const reference::RansView rans = rans_view(filled);
  Start nearest = {};
  std::size_t chosen = 0;
  for (std::size_t tile = 0; tile < rans.layout.tiles(); ++tile) {
    const Frequencies frequencies =
        rans.freq.subspan(tile * reference::kRansSymbols).first<reference::kRansSymbols>();
    const reference::RansTable table(frequencies);
    for (std::size_t s = 0; s < std::min(rans.layout.streams, rans.layout.tile(tile).size()); ++s) {
      const std::size_t stream = tile * rans.layout.streams + s;
      const std::uint8_t* const at = rans.data.data() + rans.stream_offset[stream];
      std::uint32_t state = 0;
      for (std::size_t i = reference::kRansStateBytes; i-- > 0;) state = state << 8 | at[i];
      const Start start = start_below(state, frequencies, table);
      if (start.state < nearest.state) continue;
      nearest = start;
      chosen = stream;
    }
  }
  const std::span offsets = input(filled, "stream_offset").as<std::uint32_t>();
  Tensor& data = input(filled, "data");
  const std::size_t begin = offsets[chosen], size = data.data.size();
  resize_vector(data, size + 1);
  const std::span bytes = data.as<std::uint8_t>();
  const auto after_state = bytes.begin() + static_cast<std::ptrdiff_t>(begin + reference::kRansStateBytes);
  std::copy_backward(after_state, bytes.end() - 1, bytes.end());
  *after_state = nearest.byte;
  for (std::size_t i = 0; i < reference::kRansStateBytes; ++i) {
    bytes[begin + i] = static_cast<std::uint8_t>(nearest.state >> (8 * i));
  }
  for (std::size_t stream = chosen + 1; stream < offsets.size(); ++stream) ++offsets[stream];
}

}  // namespace

Regime damaged_rans() {
  return {.name = "damaged",
          .about = "one thing wrong with the encoded tensors: it must be said, and spoil no other tile",
          .knobs = {{"defect",
                     [](const Dims&, const Arithmetic&) {
                       return static_cast<std::int64_t>(kDamages.size()) - 1;
                     },
                     {kDamages.begin(), kDamages.end()}}},
          .needs = "status",
          .weight = 8};  // nine kinds, each of which may be all that shows a fault
}

PlannedRegime rans_checksums_regime() {
  std::vector<std::string> words;
  words.reserve(kChecksumBits);
  for (int bit = 0; bit < kChecksumBits; ++bit)
    words.push_back(fmt::format("checksums: bit {} flipped", bit));
  return {.regime = {.name = kChecksums,
                     .about = "each bit of a checksum flipped once, in a tile of its own",
                     .knobs = {{"bit", [](const Dims&, const Arithmetic&) { return kChecksumBits - 1; },
                                std::move(words)}},
                     .needs = "status"},
          .sizes =
              [](const Tile&) {
                return std::vector<Dims>{
                    {{"batch", 1}, {"M", 9}, {"N", 513}, {"tile_rows", 64}, {"tile_cols", 32}}};
              },
          .at_once = [](const Dims& dims, std::int64_t) { return all_tiles_but_one(dims); }};
}

PlannedRegime rans_cut_regime() {
  std::vector<std::string> words;
  words.reserve(kCuts.size());
  for (const Cut& one : kCuts) words.emplace_back(one.words);
  return {.regime = {.name = kCutStream,
                     .about = "the last stream ends early, also between two bytes of one renormalisation",
                     .knobs = {{"place", [](const Dims&, const Arithmetic&) { return std::ssize(kCuts) - 1; },
                                std::move(words)}},
                     .needs = "status"},
          .sizes =
              [](const Tile&) {
                return std::vector<Dims>{
                    {{"batch", 1}, {"M", 9}, {"N", 512}, {"tile_rows", 64}, {"tile_cols", 32}}};
              },
          .lent = false};
}

void cut_last_stream(const Case& test_case, Problem& filled) {
  const std::int64_t place = std::clamp<std::int64_t>(knob_of(test_case, "place"), 0, std::ssize(kCuts) - 1);
  const Cut& cut = kCuts[static_cast<std::size_t>(place)];
  Tensor& data = input(filled, "data");
  const std::size_t begin = input(filled, "stream_offset").as<std::uint32_t>().back();
  const std::size_t end = data.data.size();
  const std::size_t wanted = cut.missing > 0 ? end - cut.missing : begin + cut.left;
  resize_vector(data, std::min(wanted, end - 1));
}

void flip_checksums(const Case& test_case, Problem& filled) {
  const reference::RansLayout layout = layout_of(test_case.dims);
  const auto checksums = input(filled, "checksums").as<std::uint32_t>();
  const auto first = static_cast<std::size_t>(knob_of(test_case, "bit"));
  const std::size_t count = std::max<std::size_t>(1, layout.tiles() - 1);
  for (std::size_t tile = 0; tile < count && first + tile < kChecksumBits; ++tile) {
    const std::size_t bit = first + tile, stream = bit % layout.streams;
    checksums[tile * layout.streams + stream] ^= 1U << bit;
  }
}

void damage_rans(const Case& test_case, Problem& filled) {
  if (test_case.regime == kChecksums) return flip_checksums(test_case, filled);
  if (test_case.regime == kCutStream) return cut_last_stream(test_case, filled);
  if (test_case.regime == kDefects) return spoil_tiles(test_case, filled);
  if (test_case.regime != "damaged") return;
  const Words words = Draw(test_case.seed, "damage").words(0);
  const auto pick = [](std::size_t count, std::uint32_t word) {
    return static_cast<std::size_t>(below(static_cast<std::uint32_t>(count), word));
  };
  const auto freq = input(filled, "freq").as<std::uint16_t>();
  const auto offsets = input(filled, "stream_offset").as<std::uint32_t>();
  const auto counts = input(filled, "n_symbols").as<std::uint32_t>();
  const auto checksums = input(filled, "checksums").as<std::uint32_t>();
  Tensor& data = input(filled, "data");
  const auto bytes = data.as<std::uint8_t>();
  const std::size_t tile = pick(counts.size(), words[0]), stream = pick(offsets.size(), words[0]);
  const std::span<std::uint16_t> own = freq.subspan(tile * reference::kRansSymbols, reference::kRansSymbols);
  const auto largest = static_cast<std::size_t>(std::max_element(own.begin(), own.end()) - own.begin());
  switch (knob_of(test_case, "defect")) {
    case 0: {  // truncated: by a byte, by a lot, or so that a byte of the last start state is missing
      if (words[1] % 3 == 0) return resize_vector(data, bytes.size() - 1);
      if (words[1] % 3 == 1) return resize_vector(data, offsets.back() + reference::kRansStateBytes - 1);
      return resize_vector(data, bytes.size() - 1 - pick(bytes.size() - 1, words[2]));
    }
    case 1:
      offsets[stream] = wrong_offset(offsets[stream], bytes.size(), words);
      return;
    case 2:
      return std::swap(offsets[stream], offsets[pick(offsets.size(), words[1])]);
    case 3: {  // often the last: no slot of another symbol moves, so that the sum alone may be wrong
      std::uint16_t& one = words[2] % 2 == 0 ? own.back() : own[words[1] % own.size()];
      if (words[2] % 8 == 3) {  // the sum stays in 16 bits
        one ^= 0x8000U;
        own.front() ^= 0x8000U;
        return;
      }
      one = static_cast<std::uint16_t>(words[2] % 8 < 2 ? words[3] : one + 1);
      return;
    }
    case 4:  // the sum stays
      --own[largest];
      ++own[(largest + 1) % own.size()];
      return;
    case 5:
      bytes[pick(bytes.size(), words[1])] ^= static_cast<std::uint8_t>(1U << words[2] % 8);
      return;
    case 6:
      counts[tile] = words[1] % 2 == 0   ? words[2]
                     : words[2] % 3 == 0 ? counts[tile] ^ 0x1'0000  // right in its low 16 bits
                                         : counts[tile] + (words[2] % 3 == 1 ? 1U : ~0U);
      return;
    case 7:
      if (words[2] % 2 == 0) {  // for that of a neighbour: what is wrong with the two is the same
        const std::size_t streams = checksums.size() / counts.size();
        return std::swap(checksums[stream], checksums[stream / streams * streams + pick(streams, words[1])]);
      }
      checksums[stream] ^= 1U << words[1] % 32;
      return;
    default:
      start_below_the_bound(filled);
  }
}

}  // namespace assay::properties
