// A matrix of 4-bit symbols as rANS streams (docs/formats.md, "rANS"): W [M, N] is cut in tiles of tile_rows
// x tile_cols, in row-major order and clipped at the edges; the symbols of a tile, in row-major order, are
// dealt out to its streams, symbol i to stream i % streams.
//
//   freq           uint16 [tiles, 16]       sum to 4096
//   stream_offset  uint32 [tiles, streams]  where each stream begins in data
//   n_symbols      uint32 [tiles]           rows x columns of the clipped tile
//   checksums      uint32 [tiles, streams]  symbol_checksum of each stream
//   data           uint8                    the streams in the order of stream_offset, each ending where the
//   next
//                                           begins, the last one with the data
//
// A tile is sound when its frequencies sum to 4096, n_symbols is its size, every stream lies within data and
// has its four bytes, and decoding ends as decode_streams() says, with the right checksum. Nothing that is
// not sound may pass for weights: decode_rans() refuses it, kernels mark it (docs/rans.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::reference {

struct RansLayout {
  std::size_t M = 0, N = 0;
  std::size_t tile_rows = 0, tile_cols = 0;
  std::size_t streams = 0;

  std::size_t tiles_down() const;
  std::size_t tiles_across() const;
  std::size_t tiles() const { return tiles_down() * tiles_across(); }

  /// What tile number `index` covers, clipped.
  struct Tile {
    std::size_t row, column, rows, columns;
    std::size_t size() const { return rows * columns; }
  };
  Tile tile(std::size_t index) const;
};

/// Throws std::invalid_argument naming the field on a size of 0 or one so large that sizes overflow.
void check_layout(const RansLayout& layout);

struct RansMatrix {
  std::vector<std::uint16_t> freq;
  std::vector<std::uint32_t> stream_offset;
  std::vector<std::uint32_t> n_symbols;
  std::vector<std::uint32_t> checksums;
  std::vector<std::uint8_t> data;
};

/// The same as it lies in somebody's memory; nothing of it need be right.
struct RansView {
  RansLayout layout;
  std::span<const std::uint16_t> freq;
  std::span<const std::uint32_t> stream_offset;
  std::span<const std::uint32_t> n_symbols;
  std::span<const std::uint32_t> checksums;
  std::span<const std::uint8_t> data;
};

RansView view_of(const RansLayout& layout, const RansMatrix& matrix);

/// symbols [M, N], each below 16. Throws std::invalid_argument naming the field, also when the streams
/// take 4 GiB or more.
RansMatrix encode_rans(const RansLayout& layout, std::span<const std::uint8_t> symbols);
/// The same under frequencies [tiles, 16] that need not be those that suit the symbols best. Each tile's must
/// sum to 4096 and be above 0 for every symbol that occurs there: std::invalid_argument otherwise.
RansMatrix encode_rans(const RansLayout& layout, std::span<const std::uint8_t> symbols,
                       std::span<const std::uint16_t> freq);

/// The frequencies [tiles, 16] that suit symbols [M, N] best (normalise_frequencies).
std::vector<std::uint16_t> best_frequencies(const RansLayout& layout, std::span<const std::uint8_t> symbols);

/// The checksums [tiles, streams] of symbols [M, N].
std::vector<std::uint32_t> rans_checksums(const RansLayout& layout, std::span<const std::uint8_t> symbols);

/// What can be seen without decoding: throws std::invalid_argument that names field and tile unless all sizes
/// follow from the layout, frequencies sum to 4096, n_symbols are the tiles' sizes, and streams follow one
/// another within data.
void check_rans(const RansView& view);

/// The symbols [M, N]. Throws as check_rans, and when a stream is not sound.
std::vector<std::uint8_t> decode_rans(const RansView& view);
/// The same into memory of that size.
void decode_rans(const RansView& view, std::span<std::uint8_t> symbols);

struct RansTiles {
  std::vector<std::uint8_t> symbols;  ///< [M, N]; 0 in tiles that are not sound
  std::vector<bool> sound;            ///< [tiles]
};

/// As decode_rans, tile by tile and without refusing one for another's faults. Sizes must follow from the
/// layout: std::invalid_argument otherwise.
RansTiles decode_sound_tiles(const RansView& view);

}  // namespace assay::reference
