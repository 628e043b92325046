#include "properties/operations/rans/rans_states.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "properties/cases/special_values.hpp"
#include "properties/operations/rans/rans_tensors.hpp"
#include "reference/rans_frequencies.hpp"

namespace assay::properties {
namespace {

/// Frequencies under which few symbols lead from each of those states to the end: found by trying all.
constexpr std::array<std::uint16_t, reference::kRansSymbols> kFrequencies = {
    1, 20, 2140, 594, 475, 224, 36, 191, 160, 70, 35, 8, 41, 39, 6, 56};

}  // namespace

const std::vector<StateInMidStream>& states_in_mid_stream() {
  static const std::vector<StateInMidStream> all = {
      {"2^11 ahead of its bytes", 0x800, false, {0, 0}},
      {"2^11 + 1 ahead of its bytes", 0x801, false, {0, 2, 0, 7, 12, 0}},
      {"2^15 - 1 ahead of its bytes", 0x7FFF, false, {0, 2, 5, 11, 9, 0}},
      {"2^15 ahead of its bytes", 0x8000, false, {0, 0, 0}},
      {"2^15 + 1 ahead of its bytes", 0x8001, false, {0, 5, 9, 11, 2, 0}},
      {"2^16 - 1 ahead of its bytes", 0xFFFF, false, {0, 1, 2, 15, 15, 0}},
      {"2^16 ahead of its bytes", 0x1'0000, false, {0, 0, 0, 11, 0, 0}},
      {"2^23 - 1 ahead of its bytes", 0x7F'FFFF, false, {0, 2, 9, 5, 11, 1}},
      {"2^23, which asks for no bytes", 0x80'0000, false, {0, 0, 0, 0, 1}},
      {"2^23 + 1, which asks for no bytes", 0x80'0001, false, {5, 13, 14, 0, 1, 1}},
      {"2^24 - 1, which asks for no bytes", 0xFF'FFFF, false, {0, 1, 2, 15, 15, 2}},
      {"2^24, which asks for no bytes", 0x100'0000, false, {0, 0, 0, 11, 0, 2}},
      {"2^23 + 1 behind its bytes", 0x80'0001, true, {5, 13, 14, 0, 1}},
      {"2^24 - 1 behind its bytes", 0xFF'FFFF, true, {0, 0, 0, 2, 9, 15}},
      {"2^24 behind its bytes", 0x100'0000, true, {0, 0, 0, 11, 0}},
  };
  return all;
}

PlannedRegime rans_states_regime() {
  std::vector<std::string> words;
  for (const StateInMidStream& one : states_in_mid_stream())
    words.push_back(std::string("a state in mid-stream: ") + one.words);
  return {
      .regime = {.name = kStates,
                 .about = "states on either side of each bound, in the middle of streams",
                 .knobs = {{"state",
                            [](const Dims&, const Arithmetic&) {
                              return std::ssize(states_in_mid_stream()) - 1;
                            },
                            std::move(words)}}},
      .sizes =
          [](const Tile&) {
            return std::vector<Dims>{
                {{"batch", 1}, {"M", 9}, {"N", 513}, {"tile_rows", 64}, {"tile_cols", 32}, {"streams", 4}}};
          },
      .at_once = [](const Dims& dims, std::int64_t) { return all_tiles_but_one(dims); },
      .lent = false};
}

void lead_to_states(const Case& test_case, std::span<std::uint8_t> symbols) {
  const reference::RansLayout layout = layout_of(test_case.dims);
  const auto& states = states_in_mid_stream();
  const auto first = static_cast<std::size_t>(knob_of(test_case, "state"));
  const auto shown = static_cast<std::size_t>(all_tiles_but_one(test_case.dims));
  for (std::size_t index = 0; index < shown && first + index < states.size(); ++index) {
    const auto& last = states[first + index].last_symbols;
    const reference::RansLayout::Tile tile = layout.tile(index);
    // Symbol i is in stream i % streams; counted from the end, the last symbols of all streams come first.
    const std::size_t count = std::min(tile.size(), last.size() * layout.streams);
    for (std::size_t back = 0; back < count; ++back) {
      const std::size_t i = tile.size() - 1 - back;
      symbols[(tile.row + i / tile.columns) * layout.N + tile.column + i % tile.columns] =
          last[back / layout.streams];
    }
  }
}

std::vector<std::uint16_t> frequencies_for_states(std::size_t tiles) {
  std::vector<std::uint16_t> freq;
  for (std::size_t i = 0; i < tiles; ++i) freq.insert(freq.end(), kFrequencies.begin(), kFrequencies.end());
  return freq;
}

}  // namespace assay::properties
