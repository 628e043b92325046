// rANS matrices, any and nearly right: nothing is read outside of them, and what decodes is what was encoded.
#include <algorithm>
#include <stdexcept>

#include "reference/rans_matrix.hpp"
#include "tests/fuzz/bytes.hpp"

namespace {

using assay::fuzz::Bytes;
using assay::fuzz::require;
using namespace assay::reference;

/// Small: each tile costs a table of 4096 slots.
RansLayout layout_from(Bytes& bytes) {
  return {bytes.size(4), bytes.size(24), bytes.size(6), bytes.size(30), bytes.size(9)};
}

/// Decodes both ways; they must agree. Whether all was sound.
bool decode(const RansView& view, std::vector<std::uint8_t>& symbols) {
  bool refused = false;
  try {
    symbols = decode_rans(view);
    require(std::all_of(symbols.begin(), symbols.end(), [](std::uint8_t symbol) { return symbol < 16; }));
    require(std::equal(view.checksums.begin(), view.checksums.end(),
                       rans_checksums(view.layout, symbols).begin()));
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  try {
    const RansTiles tiles = decode_sound_tiles(view);
    const bool all_sound = std::find(tiles.sound.begin(), tiles.sound.end(), false) == tiles.sound.end();
    require(all_sound == !refused);
    require(refused || tiles.symbols == symbols);
  } catch (const std::invalid_argument&) {
    require(refused);  // sizes that do not follow from the layout
  }
  return !refused;
}

void any_matrix(Bytes& bytes) {
  const RansLayout layout = layout_from(bytes);
  std::size_t tiles = bytes.size(9), streams = bytes.size(9);
  if (layout.tile_rows > 0 && layout.tile_cols > 0 && bytes.byte() % 8 != 0) {  // sizes that fit
    tiles = layout.tiles();
    streams = layout.streams;
  }
  const auto n_symbols = bytes.vector<std::uint32_t>(tiles);
  const auto freq = bytes.vector<std::uint16_t>(16 * tiles);
  const auto offsets = bytes.vector<std::uint32_t>(tiles * streams);
  const auto checksums = bytes.vector<std::uint32_t>(tiles * streams);
  const auto data = bytes.vector<std::uint8_t>(bytes.size(512));
  std::vector<std::uint8_t> symbols;
  decode({layout, freq, offsets, n_symbols, checksums, data}, symbols);
}

/// A right matrix with a few elements changed; checksums are left alone, so what is not refused is right.
void nearly_right_matrix(Bytes& bytes) {
  RansLayout layout = layout_from(bytes);
  for (std::size_t* size : {&layout.M, &layout.N, &layout.tile_rows, &layout.tile_cols, &layout.streams}) {
    *size = std::max<std::size_t>(*size, 1);
  }
  const std::size_t changes = bytes.size(4), levels = 1 + bytes.size(15);
  std::vector<std::uint8_t> changed(4 * changes);
  for (auto& byte : changed) byte = bytes.byte();
  // In turn, all are as frequent as one another, and nothing but the checksum shows a changed one.
  const bool in_turn = bytes.byte() % 2 == 0;
  auto symbols = bytes.vector<std::uint8_t>(layout.M * layout.N);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    symbols[i] = static_cast<std::uint8_t>((in_turn ? i : symbols[i]) % levels);
  }
  RansMatrix matrix = encode_rans(layout, symbols);
  Bytes what(changed.data(), changed.size());
  for (std::size_t i = 0; i < changes; ++i) {
    const std::uint8_t kind = what.byte();
    const std::size_t at = what.size(65535);
    const std::uint8_t value = what.byte();
    if (kind % 4 == 0) {
      matrix.freq[at % matrix.freq.size()] ^= value;
    } else if (kind % 4 == 1) {
      matrix.stream_offset[at % matrix.stream_offset.size()] ^= value;
    } else if (kind % 4 == 2) {
      matrix.data.resize(at % (matrix.data.size() + 1));
    } else if (!matrix.data.empty()) {
      matrix.data[at % matrix.data.size()] ^= value;
    }
  }
  matrix.data.shrink_to_fit();
  std::vector<std::uint8_t> decoded;
  const bool sound = decode(view_of(layout, matrix), decoded);
  require(!sound || decoded == symbols);
  require(sound || changes > 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  if (bytes.byte() % 2 == 0) {
    any_matrix(bytes);
  } else {
    nearly_right_matrix(bytes);
  }
  return 0;
}
