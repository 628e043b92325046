#include "properties/operations/rans/rans_pages.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "properties/cases/operation.hpp"
#include "properties/large/large_problem.hpp"
#include "properties/operations/rans/rans_tensors.hpp"
#include "reference/rans_stream.hpp"

namespace assay::properties {
namespace {

using reference::kRansSlots;
using reference::kRansSymbols;
using reference::RansFrequencies;

/// A pattern of so many bytes is mapped as it is.
constexpr std::size_t kLongPattern = std::size_t{1} << 22;

/// One symbol has all slots but one for each of the others, which take 12 bits each.
constexpr std::uint8_t kCommonSymbol = 7;
constexpr double kRareBytes = 1.5;

RansFrequencies one_common() {
  RansFrequencies frequencies;
  frequencies.fill(1);
  frequencies[kCommonSymbol] = static_cast<std::uint16_t>(kRansSlots - (kRansSymbols - 1));
  return frequencies;
}

struct EncodedTile {
  std::vector<std::uint8_t> symbols;
  std::vector<std::vector<std::uint8_t>> streams;

  std::size_t bytes() const {
    return std::accumulate(streams.begin(), streams.end(), std::size_t{0},
                           [](std::size_t sum, const auto& one) { return sum + one.size(); });
  }
};

/// A tile of `size` symbols, `rare` of them rare and spread over all of it.
EncodedTile tile_with(std::size_t rare, std::size_t size, std::size_t streams) {
  EncodedTile tile{std::vector<std::uint8_t>(size, kCommonSymbol), {}};
  for (std::size_t i = 0; i < size; ++i) {
    const bool is_rare = (i + 1) * rare / size != i * rare / size;
    if (is_rare)
      tile.symbols[i] =
          static_cast<std::uint8_t>((kCommonSymbol + 1 + i % (kRansSymbols - 1)) % kRansSymbols);
  }
  for (std::size_t s = 0; s < streams; ++s)
    tile.streams.push_back(reference::encode_stream(tile.symbols, s, streams, one_common()));
  return tile;
}

/// A tile of so many bytes: each rare symbol is one or two of them, so that it is near where it is reckoned.
std::optional<EncodedTile> find_tile(std::size_t bytes, std::size_t size, std::size_t streams) {
  constexpr std::size_t kNear = 48;
  const std::size_t none = tile_with(0, size, streams).bytes();
  if (bytes < none) return std::nullopt;
  const auto about = static_cast<std::size_t>(static_cast<double>(bytes - none) / kRareBytes);
  for (std::size_t rare = about - std::min(about, kNear); rare <= std::min(about + kNear, size); ++rare) {
    EncodedTile tile = tile_with(rare, size, streams);
    if (tile.bytes() == bytes) return tile;
  }
  return std::nullopt;
}

/// Tiles of these sizes that are so many bytes together, each its share of them.
std::vector<EncodedTile> find_tiles(std::size_t bytes, const std::vector<std::size_t>& sizes,
                                    std::size_t streams) {
  std::vector<EncodedTile> tiles;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    const double share = static_cast<double>(bytes) / static_cast<double>(sizes.size() - i) / kRareBytes;
    tiles.push_back(tile_with(std::min(static_cast<std::size_t>(share), sizes[i]), sizes[i], streams));
    bytes -= std::min(bytes, tiles.back().bytes());
  }
  const auto last = find_tile(bytes, sizes.back(), streams);
  if (!last) return {};
  tiles.push_back(*last);
  return tiles;
}

/// Tile `index` becomes this one, its streams at `begin`; where they end.
std::size_t put_tile(const EncodedTile& tile, std::size_t index, std::size_t begin, Problem& problem) {
  const std::size_t streams = tile.streams.size();
  const RansFrequencies frequencies = one_common();
  std::copy(frequencies.begin(), frequencies.end(),
            input(problem, "freq").as<std::uint16_t>().subspan(index * kRansSymbols).begin());
  const auto offsets = input(problem, "stream_offset").as<std::uint32_t>();
  const auto checksums = input(problem, "checksums").as<std::uint32_t>();
  const auto data = input(problem, "data").as<std::uint8_t>();
  for (std::size_t s = 0; s < streams; ++s) {
    offsets[index * streams + s] = static_cast<std::uint32_t>(begin);
    checksums[index * streams + s] = reference::symbol_checksum(tile.symbols, s, streams);
    std::copy(tile.streams[s].begin(), tile.streams[s].end(), data.subspan(begin).begin());
    begin += tile.streams[s].size();
  }
  return begin;
}

}  // namespace

bool end_with_page(std::size_t times, Problem& problem) {
  constexpr std::size_t kMostTiles = 4;
  const std::size_t bytes = input(problem, "data").element_count();
  if (bytes * times <= kSmallTensor || std::lcm(bytes, kPage) <= kLongPattern) return false;
  const reference::RansLayout layout = layout_of(problem.dims);
  const std::size_t end = (bytes + kPage - 1) / kPage * kPage;
  std::vector<std::size_t> sizes;
  for (std::size_t count = 1; count <= std::min(kMostTiles, layout.tiles()); ++count) {
    const std::size_t first = layout.tiles() - count;
    sizes.insert(sizes.begin(), layout.tile(first).size());
    std::size_t at = input(problem, "stream_offset").as<std::uint32_t>()[first * layout.streams];
    if (at > bytes) return false;  // damaged
    const auto tiles = find_tiles(end - at, sizes, layout.streams);
    if (tiles.empty()) continue;
    resize_vector(input(problem, "data"), end);
    for (std::size_t i = 0; i < count; ++i) at = put_tile(tiles[i], first + i, at, problem);
    return true;
  }
  return false;
}

}  // namespace assay::properties
