#include "properties/operations/rans/rans_tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "properties/cases/operation.hpp"
#include "reference/rans_frequencies.hpp"

namespace assay::properties {
namespace {

/// So many symbols have sizes that can be reckoned with.
constexpr std::size_t kMostSymbols = std::size_t{1} << 62;

constexpr const char* kSoundTile = "sound tile";
constexpr const char* kDamagedTile = "given status: damaged tile";
constexpr const char* kOneSymbol = "tile of one symbol";
constexpr const char* kRareSymbol = "symbol of frequency 1";

std::string symbol_tag(std::size_t symbol) { return fmt::format("symbol {}", symbol); }

template <class T>
void put(const std::vector<T>& values, Tensor& tensor) {
  std::copy(values.begin(), values.end(), tensor.as<T>().begin());
}

}  // namespace

std::vector<TensorSpec> rans_specs() {
  // A tensor of so many elements a tile, tile by tile, and the same with tiles down and across.
  const auto a_tile = [](const char* name, DType dtype, auto... inner) {
    return TensorSpec{
        .name = name,
        .dtype = dtype,
        .shape =
            [=](const Dims& dims) {
              return std::vector<std::size_t>{layout_of(dims).tiles(), inner(dims)...};
            },
        .unfolded =
            [=](const Dims& dims) {
              const auto layout = layout_of(dims);
              return std::vector<std::size_t>{layout.tiles_down(), layout.tiles_across(), inner(dims)...};
            }};
  };
  const auto streams = [](const Dims& dims) { return extent(dims, "streams"); };
  const auto symbols = [](const Dims&) { return reference::kRansSymbols; };
  const auto data = [](const Dims& dims) { return std::vector{extent(dims, "data_bytes")}; };
  return {
      a_tile("freq", DType::u16, symbols),    a_tile("stream_offset", DType::u32, streams),
      a_tile("n_symbols", DType::u32),        a_tile("checksums", DType::u32, streams),
      {"data", DType::u8, Role::input, data},
  };
}

TensorSpec status_spec() {
  return {.name = "status",
          .dtype = DType::u32,
          .role = Role::output,
          .shape = [](const Dims& dims) { return std::vector{layout_of(dims).tiles()}; },
          .optional = true,
          .unfolded =
              [](const Dims& dims) {
                const auto layout = layout_of(dims);
                return std::vector{layout.tiles_down(), layout.tiles_across()};
              }};
}

// A lane each, in kernels that decode in one simdgroup.
Dimension streams_dimension() {
  constexpr std::int64_t kMost = 32;
  return {.name = "streams", .choices = {1, 4, 8, 32}, .rare = {2, 3, 31}, .at_most = [](const Dims&) {
            return kMost;
          }};
}

std::vector<Dims> ragged_rans_tiles() {
  std::vector<Dims> found;
  for (const std::int64_t over : {1, 3, 31, 33, 63}) found.push_back({{"M", 64 - over}, {"N", 64 + over}});
  return found;
}

Count data_bytes_count() { return {"data_bytes", "data"}; }

std::int64_t all_tiles_but_one(const Dims& dims) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(layout_of(dims).tiles()) - 1);
}

reference::RansLayout layout_of(const Dims& dims) {
  const std::size_t M = extent(dims, "M"), N = extent(dims, "N");
  if (M > kMostSymbols / N) {
    throw std::invalid_argument(fmt::format("M={} N={}: more than {} symbols", M, N, kMostSymbols));
  }
  const bool tiled = dims.contains("tile_rows");
  return {M, N, tiled ? extent(dims, "tile_rows") : 1, tiled ? extent(dims, "tile_cols") : extent(dims, "N"),
          extent(dims, "streams")};
}

reference::RansView rans_view(const Problem& problem) {
  return {layout_of(problem.dims),
          input(problem, "freq").as<std::uint16_t>(),
          input(problem, "stream_offset").as<std::uint32_t>(),
          input(problem, "n_symbols").as<std::uint32_t>(),
          input(problem, "checksums").as<std::uint32_t>(),
          input(problem, "data").as<std::uint8_t>()};
}

void put_symbols(const std::vector<std::uint8_t>& symbols, Problem& problem) {
  put_symbols(symbols, reference::best_frequencies(layout_of(problem.dims), symbols), problem);
}

void put_symbols(const std::vector<std::uint8_t>& symbols, const std::vector<std::uint16_t>& freq,
                 Problem& problem) {
  const reference::RansMatrix encoded = reference::encode_rans(layout_of(problem.dims), symbols, freq);
  put(encoded.freq, input(problem, "freq"));
  put(encoded.stream_offset, input(problem, "stream_offset"));
  put(encoded.n_symbols, input(problem, "n_symbols"));
  put(encoded.checksums, input(problem, "checksums"));
  resize_vector(input(problem, "data"), encoded.data.size());
  put(encoded.data, input(problem, "data"));
}

Expectation expect_status(const std::vector<bool>& sound) {
  Expectation expected;
  expected.tensor = "status";
  for (const bool one : sound) {
    expected.value.push_back(one ? 0.0 : 1.0);
    expected.low.push_back(expected.value.back());
    expected.high.push_back(one ? 0.0 : static_cast<double>(std::numeric_limits<std::uint32_t>::max()));
  }
  expected.bound = "0 where the tile is sound, anything else where it is damaged";
  return expected;
}

void cover_rans(const Problem& problem, Coverage& coverage) {
  const reference::RansView view = rans_view(problem);
  const reference::RansTiles decoded = reference::decode_sound_tiles(view);
  const bool all_sound = std::find(decoded.sound.begin(), decoded.sound.end(), false) == decoded.sound.end();
  for (std::size_t tile = 0; tile < decoded.sound.size(); ++tile) {
    coverage.add(decoded.sound[tile] ? kSoundTile : kDamagedTile);
    if (view.layout.tile(tile).size() < view.layout.streams) coverage.add("empty stream");
    const auto freq = view.freq.subspan(tile * reference::kRansSymbols, reference::kRansSymbols);
    if (std::find(freq.begin(), freq.end(), 1) != freq.end()) coverage.add(kRareSymbol);
    if (std::find(freq.begin(), freq.end(), reference::kRansSlots) != freq.end()) coverage.add(kOneSymbol);
  }
  if (!all_sound) return;
  const reference::RansCounts counts = reference::count_symbols(decoded.symbols);
  for (std::size_t s = 0; s < counts.size(); ++s) coverage.add(symbol_tag(s), counts[s]);
}

std::vector<std::string> wanted_rans_coverage() {
  std::vector<std::string> wanted = {kSoundTile, kDamagedTile, kOneSymbol, kRareSymbol};
  for (std::size_t s = 0; s < reference::kRansSymbols; ++s) wanted.push_back(symbol_tag(s));
  return wanted;
}

}  // namespace assay::properties
