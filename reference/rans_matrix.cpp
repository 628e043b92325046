#include "reference/rans_matrix.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "reference/rans_stream.hpp"
#include "reference/shape.hpp"

namespace assay::reference {
namespace {

constexpr std::uint64_t kLargestOffset = std::numeric_limits<std::uint32_t>::max();

void check_sizes(const RansView& view) {
  check_layout(view.layout);
  const std::size_t tiles = view.layout.tiles();
  check_elements("freq", view.freq.size(), tiles, kRansSymbols, "tiles x 16");
  check_elements("stream_offset", view.stream_offset.size(), tiles, view.layout.streams, "tiles x streams");
  check_elements("n_symbols", view.n_symbols.size(), tiles, 1, "tiles");
  check_elements("checksums", view.checksums.size(), tiles, view.layout.streams, "tiles x streams");
  if (view.data.size() > kLargestOffset) {
    throw std::invalid_argument("data: has " + std::to_string(view.data.size()) +
                                " bytes, offsets reach 2^32-1");
  }
}

std::span<const std::uint16_t, kRansSymbols> frequencies_of(const RansView& view, std::size_t tile) {
  return view.freq.subspan(tile * kRansSymbols).first<kRansSymbols>();
}

std::size_t end_of(const RansView& view, std::size_t stream) {
  return stream + 1 < view.stream_offset.size() ? view.stream_offset[stream + 1] : view.data.size();
}

/// Its bytes, or none where it does not lie within data.
std::span<const std::uint8_t> stream_of(const RansView& view, std::size_t stream) {
  const std::size_t begin = view.stream_offset[stream], end = end_of(view, stream);
  if (begin > end || end > view.data.size()) return {};
  return view.data.subspan(begin, end - begin);
}

/// One tile at a time, into memory that is used again.
class TileDecoder {
 public:
  explicit TileDecoder(const RansView& view) : view_(view), streams_(view.layout.streams) {}

  /// The tile's symbols in their order; nullptr where it is sound, else the field that says it is not.
  const char* decode(std::size_t tile) {
    const std::size_t size = view_.layout.tile(tile).size();
    symbols_.assign(size, 0);
    if (frequency_sum(frequencies_of(view_, tile)) != kRansSlots) return "freq";
    if (view_.n_symbols[tile] != size) return "n_symbols";
    const std::size_t first = tile * streams_.size();
    for (std::size_t s = 0; s < streams_.size(); ++s) streams_[s] = stream_of(view_, first + s);
    if (!decode_streams(RansTable(frequencies_of(view_, tile)), streams_, symbols_)) return "data";
    for (std::size_t s = 0; s < streams_.size(); ++s) {
      if (symbol_checksum(symbols_, s, streams_.size()) != view_.checksums[first + s]) return "checksums";
    }
    return nullptr;
  }

  void store(std::size_t index, std::span<std::uint8_t> symbols) const {
    const RansLayout::Tile tile = view_.layout.tile(index);
    for (std::size_t r = 0; r < tile.rows; ++r) {
      std::copy_n(
          symbols_.begin() + static_cast<std::ptrdiff_t>(r * tile.columns), tile.columns,
          symbols.begin() + static_cast<std::ptrdiff_t>((tile.row + r) * view_.layout.N + tile.column));
    }
  }

 private:
  const RansView& view_;
  std::vector<std::span<const std::uint8_t>> streams_;
  std::vector<std::uint8_t> symbols_;
};

std::vector<std::uint8_t> symbols_of(const RansLayout& layout, std::size_t index,
                                     std::span<const std::uint8_t> symbols) {
  const RansLayout::Tile tile = layout.tile(index);
  std::vector<std::uint8_t> own;
  own.reserve(tile.size());
  for (std::size_t r = 0; r < tile.rows; ++r) {
    const auto row = symbols.subspan((tile.row + r) * layout.N + tile.column, tile.columns);
    own.insert(own.end(), row.begin(), row.end());
  }
  return own;
}

}  // namespace

std::size_t RansLayout::tiles_down() const { return ceil_div(M, tile_rows); }
std::size_t RansLayout::tiles_across() const { return ceil_div(N, tile_cols); }

RansLayout::Tile RansLayout::tile(std::size_t index) const {
  const std::size_t row = index / tiles_across() * tile_rows, column = index % tiles_across() * tile_cols;
  return {row, column, std::min(tile_rows, M - row), std::min(tile_cols, N - column)};
}

void check_layout(const RansLayout& layout) {
  check_positive("M", layout.M);
  check_positive("N", layout.N);
  check_positive("tile_rows", layout.tile_rows);
  check_positive("tile_cols", layout.tile_cols);
  check_positive("streams", layout.streams);
  checked_product("symbols", layout.M, layout.N);
  checked_product("stream_offset", layout.tiles(), layout.streams);
  const RansLayout::Tile largest = layout.tile(0);
  if (largest.size() > kLargestOffset)
    throw std::invalid_argument("n_symbols: a tile has 2^32 symbols or more");
}

RansView view_of(const RansLayout& layout, const RansMatrix& matrix) {
  return {layout, matrix.freq, matrix.stream_offset, matrix.n_symbols, matrix.checksums, matrix.data};
}

std::vector<std::uint16_t> best_frequencies(const RansLayout& layout, std::span<const std::uint8_t> symbols) {
  check_layout(layout);
  check_elements("symbols", symbols.size(), layout.M, layout.N, "M x N");
  std::vector<std::uint16_t> freq;
  for (std::size_t i = 0; i < layout.tiles(); ++i) {
    const RansFrequencies best = normalise_frequencies(count_symbols(symbols_of(layout, i, symbols)));
    freq.insert(freq.end(), best.begin(), best.end());
  }
  return freq;
}

RansMatrix encode_rans(const RansLayout& layout, std::span<const std::uint8_t> symbols) {
  return encode_rans(layout, symbols, best_frequencies(layout, symbols));
}

RansMatrix encode_rans(const RansLayout& layout, std::span<const std::uint8_t> symbols,
                       std::span<const std::uint16_t> freq) {
  check_layout(layout);
  check_elements("symbols", symbols.size(), layout.M, layout.N, "M x N");
  check_elements("freq", freq.size(), layout.tiles(), kRansSymbols, "tiles x 16");
  RansMatrix matrix;
  matrix.freq.assign(freq.begin(), freq.end());
  for (std::size_t i = 0; i < layout.tiles(); ++i) {
    const std::vector<std::uint8_t> own = symbols_of(layout, i, symbols);
    RansFrequencies frequencies;
    std::copy_n(freq.begin() + static_cast<std::ptrdiff_t>(i * kRansSymbols), kRansSymbols,
                frequencies.begin());
    matrix.n_symbols.push_back(static_cast<std::uint32_t>(own.size()));
    for (std::size_t s = 0; s < layout.streams; ++s) {
      const auto stream = encode_stream(own, s, layout.streams, frequencies);
      matrix.stream_offset.push_back(static_cast<std::uint32_t>(matrix.data.size()));
      matrix.checksums.push_back(symbol_checksum(own, s, layout.streams));
      matrix.data.insert(matrix.data.end(), stream.begin(), stream.end());
      if (matrix.data.size() > kLargestOffset) {
        throw std::invalid_argument("data: takes 2^32 bytes or more, offsets reach 2^32-1");
      }
    }
  }
  return matrix;
}

std::vector<std::uint32_t> rans_checksums(const RansLayout& layout, std::span<const std::uint8_t> symbols) {
  check_layout(layout);
  check_elements("symbols", symbols.size(), layout.M, layout.N, "M x N");
  std::vector<std::uint32_t> checksums;
  for (std::size_t i = 0; i < layout.tiles(); ++i) {
    const std::vector<std::uint8_t> own = symbols_of(layout, i, symbols);
    for (std::size_t s = 0; s < layout.streams; ++s) {
      checksums.push_back(symbol_checksum(own, s, layout.streams));
    }
  }
  return checksums;
}

void check_rans(const RansView& view) {
  check_sizes(view);
  for (std::size_t tile = 0; tile < view.layout.tiles(); ++tile) {
    const auto fail = [&](const std::string& field, const std::string& what) {
      throw std::invalid_argument((field + ": tile ").append(std::to_string(tile)).append(" ").append(what));
    };
    const std::uint32_t sum = frequency_sum(frequencies_of(view, tile));
    if (sum != kRansSlots) fail("freq", "sums to " + std::to_string(sum) + ", must be 4096");
    const std::size_t size = view.layout.tile(tile).size();
    if (view.n_symbols[tile] != size) {
      fail("n_symbols", "is " + std::to_string(view.n_symbols[tile]) + ", the tile has " +
                            std::to_string(size) + " elements");
    }
    for (std::size_t s = 0; s < view.layout.streams; ++s) {
      const std::size_t stream = tile * view.layout.streams + s;
      const std::uint64_t begin = view.stream_offset[stream], end = end_of(view, stream);
      if (end > view.data.size() || begin + kRansStateBytes > end) {
        fail("stream_offset", "stream " + std::to_string(s) + " reaches from " + std::to_string(begin) +
                                  " to " + std::to_string(end) + ", needs at least 4 bytes within the " +
                                  std::to_string(view.data.size()) + " of data");
      }
    }
  }
}

std::vector<std::uint8_t> decode_rans(const RansView& view) {
  check_rans(view);
  std::vector<std::uint8_t> symbols(view.layout.M * view.layout.N);
  decode_rans(view, symbols);
  return symbols;
}

void decode_rans(const RansView& view, std::span<std::uint8_t> symbols) {
  check_rans(view);
  check_elements("symbols", symbols.size(), view.layout.M, view.layout.N, "M x N");
  TileDecoder decoder(view);
  for (std::size_t tile = 0; tile < view.layout.tiles(); ++tile) {
    if (const char* field = decoder.decode(tile)) {
      throw std::invalid_argument(
          std::string(field) + ": tile " + std::to_string(tile) +
          " is damaged: a stream does not end where it must, or holds other symbols than "
          "were encoded");
    }
    decoder.store(tile, symbols);
  }
}

RansTiles decode_sound_tiles(const RansView& view) {
  check_sizes(view);
  RansTiles decoded{std::vector<std::uint8_t>(view.layout.M * view.layout.N), {}};
  TileDecoder decoder(view);
  for (std::size_t tile = 0; tile < view.layout.tiles(); ++tile) {
    decoded.sound.push_back(decoder.decode(tile) == nullptr);
    if (decoded.sound.back()) decoder.store(tile, decoded.symbols);
  }
  return decoded;
}

}  // namespace assay::reference
