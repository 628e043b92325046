#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <utility>

#include "golden/model/levels.hpp"
#include "golden/model/quantizers.hpp"
#include "golden/model/row_blocks.hpp"
#include "golden/model/value_counts.hpp"
#include "golden/model/weight_error.hpp"
#include "golden/model/weight_rows.hpp"
#include "properties/cases/draw.hpp"
#include "reference/half.hpp"
#include "reference/trellis.hpp"

namespace assay::golden {
namespace {

constexpr std::size_t kCountedRows = 64;

void draw_signs(std::uint64_t seed, const std::string& stream, std::span<float> signs) {
  const properties::Draw draw(seed, stream);
  for (std::size_t i = 0; i < signs.size(); ++i) signs[i] = (draw.words(i)[0] & 1) != 0 ? -1.0F : 1.0F;
}

double rms_of(std::span<const float> group) {
  double sum = 0;
  for (const float weight : group) sum += static_cast<double>(weight) * static_cast<double>(weight);
  return std::sqrt(sum / static_cast<double>(group.size()));
}

/// The tensors of one matrix, and its weights without their signs.
struct Trellis {
  const WeightSource& source;
  std::size_t K, N, group_size;
  std::span<std::uint8_t> packed_indices;
  std::span<float> scales, grid, su, sv;

  Trellis(const WeightSource& from, Problem& problem)
      : source(from),
        K(from.matrix.columns),
        N(from.matrix.rows),
        group_size(from.options.group_size),
        packed_indices(assay::input(problem, "packed_indices").as<std::uint8_t>()),
        scales(assay::input(problem, "scales").as<float>()),
        grid(assay::input(problem, "grid").as<float>()),
        su(assay::input(problem, "su").as<float>()),
        sv(assay::input(problem, "sv").as<float>()) {}

  /// Calls with_group(first, weights) for the groups of a row n, the signs of rows and columns taken away.
  template <class F>
  void for_groups(const WeightRows& rows, std::size_t n, F with_group) const {
    std::vector<float> row(rows.row(n).begin(), rows.row(n).end());
    for (std::size_t k = 0; k < K; ++k) row[k] *= su[k] * sv[n];
    for (std::size_t first = 0; first < K; first += group_size)
      with_group(first, std::span<const float>(row).subspan(first, std::min(group_size, K - first)));
  }
};

/// Levels for weights that are divided by the rms of their group. Groups of zeros have none.
std::vector<double> fit_grid(const Trellis& trellis) {
  ValueCounts all;
  std::mutex guard;
  for_row_blocks(trellis.N, kCountedRows, trellis.source.options.threads,
                 [&](std::size_t begin, std::size_t end) {
                   const WeightRows rows(trellis.source.file, trellis.source.matrix, begin, end);
                   ValueCounts own;
                   for (std::size_t n = begin; n < end; ++n) {
                     trellis.for_groups(rows, n, [&](std::size_t, std::span<const float> group) {
                       const double rms = rms_of(group);
                       if (!(rms > 0)) return;
                       for (const float weight : group)
                         own.add(static_cast<float>(static_cast<double>(weight) / rms));
                     });
                   }
                   const std::lock_guard lock(guard);
                   all.add(own);
                 });
  return fit_levels(all.ascending(), trellis.grid.size());
}

/// The scale and the indices of one group.
template <std::size_t N>
class ScaleFit {
 public:
  explicit ScaleFit(std::span<const float> grid) : grid_(grid) {}

  /// The weights of indices under a scale.
  std::array<double, N> halves(float scale) const {
    std::array<double, N> found{};
    for (std::size_t i = 0; i < N; ++i) {
      const float product = grid_[i] * scale;
      found[i] = reference::half_to_double(reference::half_from_float(product));
    }
    return found;
  }

  /// Nearest indices under scale `first`, and under the one that errs least for these: whichever errs less.
  float fit(std::span<const float> group, double first, std::vector<std::uint8_t>& indices) {
    float scale = scale_of(first);
    indices.resize(group.size());
    const double error = indices_under(scale, group, indices);
    double products = 0, squares = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const auto level = static_cast<double>(grid_[indices[i]]);
      products += level * static_cast<double>(group[i]);
      squares += level * level;
    }
    if (!(products > 0)) return scale;
    const float other = scale_of(products / squares);
    tried_.resize(group.size());
    if (indices_under(other, group, tried_) < error) {
      scale = other;
      std::swap(indices, tried_);
    }
    return scale;
  }

 private:
  /// No level is beyond 1, so no weight is infinite.
  static float scale_of(double value) { return static_cast<float>(std::min(value, reference::kHalfMax)); }

  double indices_under(float scale, std::span<const float> group, std::span<std::uint8_t> indices) const {
    const Levels<double, N> levels(halves(scale));
    levels.codes(group, indices);
    return squared_error(levels, indices, group);
  }

  std::span<const float> grid_;
  std::vector<std::uint8_t> tried_;
};

/// Sixteen rows of the file are a column of tiles.
template <std::size_t N>
void encode_tiles(const Trellis& trellis, double largest_level, std::size_t begin, std::size_t end,
                  std::span<RowError> errors) {
  const WeightRows rows(trellis.source.file, trellis.source.matrix, begin, end);
  ScaleFit<N> fit(trellis.grid);
  const std::size_t columns = end - begin;
  std::vector<std::uint8_t> indices(trellis.K * columns), of_group;
  for (std::size_t n = begin; n < end; ++n) {
    trellis.for_groups(rows, n, [&](std::size_t first, std::span<const float> group) {
      const float scale = fit.fit(group, rms_of(group) * largest_level, of_group);
      trellis.scales[first / trellis.group_size * trellis.N + n] = scale;
      const auto halves = fit.halves(scale);
      for (std::size_t i = 0; i < group.size(); ++i) {
        indices[(first + i) * columns + n - begin] = of_group[i];
        errors[n].add(halves[of_group[i]], static_cast<double>(group[i]));
      }
    });
  }
  const unsigned bits = trellis.source.options.bits;
  const auto tiles = reference::pack_trellis(indices, trellis.K, columns, bits);
  const std::size_t tile_bytes = reference::trellis_tile_bytes(bits);
  const std::size_t across = (trellis.N - 1) / reference::kTrellisTile + 1;
  for (std::size_t tile = 0; tile * tile_bytes < tiles.size(); ++tile) {
    const std::size_t at = (tile * across + begin / reference::kTrellisTile) * tile_bytes;
    std::copy_n(tiles.begin() + static_cast<std::ptrdiff_t>(tile * tile_bytes), tile_bytes,
                trellis.packed_indices.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

}  // namespace

WeightError quantize_trellis(const WeightSource& source, Problem& problem) {
  const Trellis trellis(source, problem);
  draw_signs(source.options.seed, source.matrix.name + ".su", trellis.su);
  draw_signs(source.options.seed, source.matrix.name + ".sv", trellis.sv);
  const std::vector<double> levels = fit_grid(trellis);
  const double largest = std::max(std::fabs(levels.front()), std::fabs(levels.back()));
  // A grid is normalised: its largest magnitude is 1, and scales have what it was.
  for (std::size_t i = 0; i < levels.size(); ++i)
    trellis.grid[i] = static_cast<float>(largest > 0 ? levels[i] / largest : levels[i]);
  std::vector<RowError> errors(trellis.N);
  for_row_blocks(trellis.N, reference::kTrellisTile, source.options.threads,
                 [&](std::size_t begin, std::size_t end) {
                   const auto encode = source.options.bits == 2   ? encode_tiles<4>
                                       : source.options.bits == 3 ? encode_tiles<8>
                                                                  : encode_tiles<16>;
                   encode(trellis, largest, begin, end, errors);
                 });
  return error_of_rows(errors, trellis.N * trellis.K);
}

}  // namespace assay::golden
