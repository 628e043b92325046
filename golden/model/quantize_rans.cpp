#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <limits>
#include <mutex>

#include "golden/model/levels.hpp"
#include "golden/model/quantizers.hpp"
#include "golden/model/row_blocks.hpp"
#include "golden/model/value_counts.hpp"
#include "golden/model/weight_error.hpp"
#include "golden/model/weight_rows.hpp"
#include "reference/rans_matrix.hpp"
#include "reference/rans_product.hpp"

namespace assay::golden {
namespace {

constexpr std::size_t kRansRows = 64;
/// Weights that differ by a smaller part of themselves are too few values when counted.
constexpr double kNarrowest = 1.0 / 16;

struct FloatLine {
  float scale = 1, zero_point = 0;
};

FloatLine fit_floats(const WeightSource& source) {
  ValueCounts all;
  std::mutex guard;
  for_row_blocks(source.matrix.rows, kRansRows, source.options.threads,
                 [&](std::size_t begin, std::size_t end) {
                   const WeightRows rows(source.file, source.matrix, begin, end);
                   ValueCounts own;
                   for (std::size_t row = begin; row < end; ++row) {
                     for (const float weight : rows.row(row)) own.add(weight);
                   }
                   const std::lock_guard lock(guard);
                   all.add(own);
                 });
  // One value alone is kept exactly, as symbol 0; which of two zeros came first does not matter.
  if (all.lowest() == all.highest()) return {1, all.lowest() + 0.0F};
  const double low = static_cast<double>(all.lowest()), high = static_cast<double>(all.highest());
  const bool narrow = high - low < kNarrowest * std::max(-low, high);
  Line line = narrow ? Line{(high - low) / (reference::kRansSymbols - 1), low} : fit_line(all.ascending());
  // 15 steps must be finite as a float. Of wider ranges the levels are in the middle.
  constexpr double kMost = static_cast<double>(FLT_MAX) / reference::kRansSymbols;
  if (line.step > kMost) line = {kMost, (low + high) / 2 - kMost * (reference::kRansSymbols - 1) / 2};
  const auto scale = static_cast<float>(line.step);
  return {scale > 0 ? scale : std::numeric_limits<float>::denorm_min(), static_cast<float>(line.first)};
}

/// What becomes of some rows of tiles.
struct EncodedRows {
  reference::RansMatrix matrix;
  reference::RansCounts counts{};
  double tile_bits = 0;
};

EncodedRows encode_rows(const reference::RansLayout& layout, const std::vector<std::uint8_t>& symbols) {
  EncodedRows encoded{.matrix = reference::encode_rans(layout, symbols)};
  for (std::size_t index = 0; index < layout.tiles(); ++index) {
    const auto tile = layout.tile(index);
    reference::RansCounts counts{};
    for (std::size_t row = tile.row; row < tile.row + tile.rows; ++row) {
      for (std::size_t column = 0; column < tile.columns; ++column)
        ++counts[symbols[row * layout.N + tile.column + column]];
    }
    encoded.tile_bits += information_bits(counts);
    for (std::size_t s = 0; s < reference::kRansSymbols; ++s) encoded.counts[s] += counts[s];
  }
  return encoded;
}

/// Writes what blocks of rows hold into the tensors, one behind the other.
class RansCollector {
 public:
  explicit RansCollector(Problem& problem) : problem_(problem) {}

  /// Blocks come in order. Their offsets count from their own data.
  void add(const reference::RansMatrix& block) {
    const auto put = [&](const char* name, const auto& values, std::size_t at) {
      using T = std::decay_t<decltype(values[0])>;
      const auto to = assay::input(problem_, name).template as<T>();
      std::copy(values.begin(), values.end(), to.begin() + static_cast<std::ptrdiff_t>(at));
    };
    put("freq", block.freq, tiles_ * reference::kRansSymbols);
    put("n_symbols", block.n_symbols, tiles_);
    put("checksums", block.checksums, streams_);
    auto offsets = block.stream_offset;
    for (std::uint32_t& one : offsets) one += static_cast<std::uint32_t>(bytes_);
    put("stream_offset", offsets, streams_);
    put("data", block.data, bytes_);
    tiles_ += block.n_symbols.size();
    streams_ += block.stream_offset.size();
    bytes_ += block.data.size();
  }

 private:
  Problem& problem_;
  std::size_t tiles_ = 0, streams_ = 0, bytes_ = 0;
};

}  // namespace

WeightError quantize_rans(const WeightSource& source, Problem& problem, Entropy& entropy) {
  const std::size_t M = source.matrix.rows, N = source.matrix.columns;
  const bool tiled = problem.dims.contains("tile_rows");
  const std::size_t tile_rows = tiled ? source.options.tile_rows : 1;
  const std::size_t tile_cols = tiled ? source.options.tile_cols : N;
  const std::size_t streams = properties::extent(problem.dims, "streams");

  const FloatLine line = fit_floats(source);
  std::array<double, reference::kRansSymbols> values{};
  const auto floats = reference::rans_weights(line.scale, line.zero_point).separate;
  std::copy(floats.begin(), floats.end(), values.begin());
  const Levels<double, reference::kRansSymbols> levels(values);

  // Whole tiles, and as many rows as are worth a thread's while.
  const std::size_t block = tile_rows * std::max<std::size_t>(1, kRansRows / tile_rows);
  std::vector<EncodedRows> blocks((M - 1) / block + 1);
  std::vector<RowError> errors(M);
  for_row_blocks(M, block, source.options.threads, [&](std::size_t begin, std::size_t end) {
    const WeightRows rows(source.file, source.matrix, begin, end);
    std::vector<std::uint8_t> symbols((end - begin) * N);
    for (std::size_t row = begin; row < end; ++row) {
      const auto own = std::span(symbols).subspan((row - begin) * N, N);
      levels.codes(rows.row(row), own);
      for (std::size_t i = 0; i < N; ++i)
        errors[row].add(levels[own[i]], static_cast<double>(rows.row(row)[i]));
    }
    blocks[begin / block] = encode_rows({end - begin, N, tile_rows, tile_cols, streams}, symbols);
  });

  std::uint64_t bytes = 0;
  for (const EncodedRows& one : blocks) bytes += one.matrix.data.size();
  if (bytes > std::numeric_limits<std::uint32_t>::max())
    throw Refused(fmt::format("data: takes {} bytes, but offsets reach only 2^32-1", bytes));
  properties::resize_vector(assay::input(problem, "data"), static_cast<std::size_t>(bytes));
  RansCollector collector(problem);
  reference::RansCounts counts{};
  double tile_bits = 0;
  for (EncodedRows& one : blocks) {
    collector.add(one.matrix);
    tile_bits += one.tile_bits;
    for (std::size_t s = 0; s < reference::kRansSymbols; ++s) counts[s] += one.counts[s];
    one = {};
  }
  if (problem.operation != "rans_decode") {
    assay::input(problem, "scale").as<float>()[0] = line.scale;
    assay::input(problem, "zero_point").as<float>()[0] = line.zero_point;
  }
  const auto weights = static_cast<double>(M * N);
  entropy = {information_bits(counts) / weights, tile_bits / weights,
             8.0 * static_cast<double>(bytes) / weights};
  return error_of_rows(errors, M * N);
}

}  // namespace assay::golden
