// Planned cases of products: what they show, in words, and at which sizes. Their values: gemm_values.cpp.
#include <algorithm>

#include "properties/operations/products/gemm_values.hpp"

namespace assay::properties {
namespace {

/// Lines enough for one at each k of the last four tiles of 32; K leaves 8 in the last.
constexpr std::int64_t kLinesBehind = 104;

}  // namespace

PlannedRegime nothing_regime() {
  return {.regime = {.name = kNothing,
                     .about = "weights of 0, and of one sign, under infinite scales",
                     .knobs = {{"kind",
                                [](const Dims&, const Arithmetic&) { return 4; },
                                {"weights of 0 under an infinite scale",
                                 "a weight of 0 at the end of K under an infinite scale",
                                 "weights of one sign under an infinite scale",
                                 "a weight of 0 beside an infinity of A",
                                 "a row of A that is 0 beside infinite weights"}}}},
          .sizes = nullptr,
          .at_once = [](const Dims& dims, std::int64_t first) -> std::int64_t {
            const std::int64_t M = dim(dims, "M");  // an infinity of A spoils one row, zeros another
            const std::int64_t shown = M == 1 ? 3 : M <= 3 ? 4 : 5;
            return std::max<std::int64_t>(0, shown - first);
          }};
}

PlannedRegime left_behind_regime() {
  return {
      .regime = {.name = kLeftBehind,
                 .about = "infinity before the last of K, in places that the last tile leaves alone",
                 .knobs = {{"kind",
                            [](const Dims&, const Arithmetic&) { return 1; },
                            {"A: infinity before the last tile of K",
                             "scales: infinity before the last tile of K"}}},
                 .half_sums_safe = false},
      .sizes =
          [](const Tile& tile) {
            const std::int64_t k_tile = std::max<std::int64_t>(tile.k, 8);
            return std::vector<Dims>{
                {{"M", kLinesBehind}, {"N", 9}, {"K", 3 * k_tile + 8}, {"group_size", 16}, {"parallel", 1}}};
          },
      .lent = false};
}

PlannedRegime rises_regime() {
  return {
      .regime = {.name = kRises,
                 .about = "sums that rise far past their end and fall again",
                 .knobs = {{"size",
                            [](const Dims&, const Arithmetic&) { return 1; },
                            {"sums past 65,504 on the way", "sums past 2,048 on the way"}}},
                 .half_sums_safe = false},
      .sizes =
          [](const Tile&) {
            return std::vector<Dims>{{{"M", 2}, {"N", 9}, {"K", 4136}, {"parallel", 1}, {"group_size", 128}}};
          },
      .lent = false};
}

PlannedRegime blank_regime() {
  return {.regime = {.name = kBlank,
                     .about = "activations of 0 in all rows beside infinite weights",
                     .knobs = {{"kind",
                                [](const Dims&, const Arithmetic&) { return 2; },
                                {"eight columns of A that are 0 beside infinite weights",
                                 "32 columns of A that are 0 beside infinite weights",
                                 "an A of 0 beside infinite weights"}}},
                     .half_sums_safe = false},
          .sizes =
              [](const Tile&) {
                return std::vector<Dims>{{{"M", 9}, {"N", 9}, {"K", 72}, {"group_size", 8}}};
              },
          .lent = false};
}

PlannedRegime brink_regime() {
  return {.regime = {.name = kBrink,
                     .about = "sums at the ends of what a half holds",
                     .knobs = {{"kind",
                                [](const Dims&, const Arithmetic&) { return 1; },
                                {"sums about the largest half", "sums halfway between the least halves"}}},
                     .half_sums_safe = false},
          .sizes =
              [](const Tile&) {
                return std::vector<Dims>{{{"M", 24}, {"N", 9}, {"K", 9}, {"group_size", 8}}};
              },
          .lent = false};
}

}  // namespace assay::properties
