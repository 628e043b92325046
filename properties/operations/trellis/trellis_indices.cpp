#include "properties/operations/trellis/trellis_indices.hpp"

#include <algorithm>
#include <vector>

#include "properties/cases/draw.hpp"
#include "properties/cases/model_values.hpp"
#include "properties/cases/special_values.hpp"
#include "properties/operations/products/gemm_values.hpp"

namespace assay::properties {
namespace {

/// Packs the rows that `fill(k, row)` gives, as many at a time as a tile has: all of a large matrix side by
/// side would only pass through memory.
template <class Fill>
void pack_rows(const TrellisSizes& sizes, std::span<std::uint8_t> packed, const Fill& fill) {
  std::vector<std::uint8_t> rows(reference::kTrellisTile * sizes.N);
  auto into = packed.begin();
  for (std::size_t first = 0; first < sizes.K; first += reference::kTrellisTile) {
    const std::size_t count = std::min(reference::kTrellisTile, sizes.K - first);
    const std::span<std::uint8_t> taken = std::span(rows).first(count * sizes.N);
    for (std::size_t i = 0; i < count; ++i) fill(first + i, taken.subspan(i * sizes.N, sizes.N));
    const auto tiles = reference::pack_trellis(taken, count, sizes.N, sizes.bits);
    into = std::copy(tiles.begin(), tiles.end(), into);
  }
}

/// Index 0, or one past the grid: they read the same level.
std::uint32_t index_of_zero(const TrellisSizes& sizes, std::uint32_t word) {
  const std::uint32_t past = below((1U << sizes.bits) - static_cast<std::uint32_t>(sizes.n_levels) + 1, word);
  return past == 0 ? 0 : static_cast<std::uint32_t>(sizes.n_levels) + past - 1;
}

}  // namespace

void draw_trellis_indices(const Case& test_case, const TrellisSizes& sizes, const std::string& stream,
                          std::span<std::uint8_t> packed) {
  const Draw draw(test_case.seed, stream);
  const std::size_t first = static_cast<std::size_t>(knob_of(test_case, "first")) % sizes.K;
  const std::size_t step = cancelling_step(test_case);
  const auto constant = static_cast<std::uint32_t>(knob_of(test_case, "code")) % (1U << sizes.bits);
  const bool cancels = test_case.regime == "cancel", singles = test_case.regime == "single";
  const bool all_ones = test_case.regime == kBrink;
  const bool constants = test_case.regime == "constant", like_models = test_case.regime == kModelLike;
  std::vector<std::uint32_t> words(sizes.N);
  pack_rows(sizes, packed, [&](std::size_t k, std::span<std::uint8_t> row) {
    // Terms cancel where their weights are the same.
    const bool second = cancels && k % (2 * step) >= step;
    draw.first_words((second ? k - step : k) * sizes.N, words);
    for (std::size_t n = 0; n < row.size(); ++n) {
      std::uint32_t index = below(1U << sizes.bits, words[n]);
      if (like_models)
        index = model_level(draw.words(k * sizes.N + n), static_cast<unsigned>(sizes.n_levels));
      if (constants) index = constant;
      if (all_ones) index = 1;
      if (singles)
        index = k == (first + n) % sizes.K && sizes.n_levels > 1 ? 1 : index_of_zero(sizes, words[n]);
      row[n] = static_cast<std::uint8_t>(index);
    }
  });
}

void draw_dequantized_indices(const Case& test_case, const TrellisSizes& sizes,
                              std::span<std::uint8_t> packed) {
  const Draw draw(test_case.seed, "packed_indices");
  const bool in_turn = test_case.regime == "constant";
  const std::uint32_t mask = (1U << sizes.bits) - 1;
  std::vector<std::uint32_t> words(sizes.N);
  pack_rows(sizes, packed, [&](std::size_t k, std::span<std::uint8_t> row) {
    if (!in_turn) draw.first_words(k * sizes.N, words);
    for (std::size_t n = 0; n < row.size(); ++n) {
      // 3 n sets neighbouring columns apart, so that a shifted column shows.
      const std::uint32_t index = in_turn ? static_cast<std::uint32_t>(k + 3 * n) : words[n] >> 7;
      row[n] = static_cast<std::uint8_t>(index & mask);
    }
  });
}

void fill_indices_by_column(const TrellisSizes& sizes, std::size_t columns, std::span<std::uint8_t> packed) {
  pack_rows(sizes, packed, [&](std::size_t, std::span<std::uint8_t> row) {
    for (std::size_t n = 0; n < row.size(); ++n)
      row[n] = static_cast<std::uint8_t>(n / columns & ((std::size_t{1} << sizes.bits) - 1));
  });
}

}  // namespace assay::properties
