#include "properties/operations/rans/rans_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "properties/cases/draw.hpp"
#include "properties/cases/model_values.hpp"
#include "properties/cases/planted.hpp"
#include "properties/cases/special_values.hpp"
#include "properties/operations/products/gemm_values.hpp"
#include "properties/operations/rans/rans_damage.hpp"
#include "properties/operations/rans/rans_defects.hpp"
#include "properties/operations/rans/rans_states.hpp"
#include "properties/operations/rans/rans_tensors.hpp"
#include "reference/rans_frequencies.hpp"

namespace assay::properties {
namespace {

/// The first few spoil a whole row of y.
constexpr std::array<float, 8> kSpecialFloats = {std::numeric_limits<float>::quiet_NaN(),
                                                 std::numeric_limits<float>::infinity(),
                                                 -std::numeric_limits<float>::infinity(),
                                                 0x1p100F,
                                                 -0x1p100F,
                                                 std::numeric_limits<float>::denorm_min(),
                                                 std::numeric_limits<float>::min(),
                                                 -0.0F};
constexpr std::size_t kPoisonousFloats = 3;

constexpr const char* kRansScales = "scales";

/// All symbols take 12 bits each, and streams of a ragged tile differ by one of them.
constexpr const char* kRare = "rare";
/// Tiles whose frequencies are those of the tile before but for two.
constexpr const char* kTables = "tables";
constexpr std::size_t kPairsOfTables = reference::kRansSymbols - 1;

/// Places that infinity_before_last() has in turn.
constexpr std::int64_t kPlacesBehind = 5;

struct NamedScale {
  const char* words;
  RansScale values;
  enum class X { ordinary, zero, signs, huge } x = X::ordinary;  ///< what the first vector is
};

constexpr float kRansNaN = std::numeric_limits<float>::quiet_NaN(), kRansInfinite = HUGE_VALF;

constexpr std::array<NamedScale, 17> kOddScales = {
    {{"scale: NaN", {kRansNaN, 1.0F}},
     {"scale: infinity", {kRansInfinite, 1.0F}},
     {"scale: -infinity", {-kRansInfinite, 1.0F}},
     {"scale: 0", {0.0F, 2.0F}},
     {"scale: subnormal", {0x1p-140F, 0.0F}},
     {"scale: 2^100", {0x1p100F, 0.0F}},
     {"zero_point: NaN", {0.5F, kRansNaN}},
     {"zero_point: infinity", {0.5F, kRansInfinite}},
     {"zero_point: -infinity", {0.5F, -kRansInfinite}},
     {"zero_point: subnormal", {0x1p-140F, -0x1p-139F}},
     {"zero_point: -2^100", {0x1p97F, -0x1p100F}},
     {"scale and zero_point: infinity", {kRansInfinite, kRansInfinite}},
     {"scale: NaN beside an x of 0", {kRansNaN, 1.0F}, NamedScale::X::zero},
     {"zero_point: infinity beside an x of 0", {0.5F, kRansInfinite}, NamedScale::X::zero},
     {"scale: infinity beside an x of both signs", {kRansInfinite, 1.0F}, NamedScale::X::signs},
     {"scale: 2^-40 beside an x near the largest float", {0x1p-40F, 0.0F}, NamedScale::X::huge},
     {"scale: 2^-149 beside an x near the largest float", {0x1p-149F, 0.0F}, NamedScale::X::huge}}};

const NamedScale& odd_scale(const Case& test_case) {
  const std::int64_t kind = knob_of(test_case, "kind"), last = std::ssize(kOddScales) - 1;
  return kOddScales[static_cast<std::size_t>(std::clamp<std::int64_t>(kind, 0, last))];
}

Knob knob(std::string name, std::int64_t largest) {
  return {std::move(name), [largest](const Dims&, const Arithmetic&) { return largest; }};
}

float integer_float(std::int64_t limit, std::uint32_t word) {
  return static_cast<float>(between(-limit, limit, word));
}

/// One symbol of a tile whose spread and first symbols are `tile`; `late` in the second half of the tile.
std::uint8_t draw_symbol(const Words& tile, const Words& words, bool late) {
  const std::uint32_t first = tile[1] % 16, second = tile[2] % 16;
  std::uint32_t symbol = first;
  switch (tile[0] % 8) {
    case 0:
    case 1:
      symbol = words[0];
      break;
    case 2:
    case 3:
      symbol = first + static_cast<std::uint32_t>(std::countl_zero(words[0] | 0x10000));
      break;
    case 4:  // one alone; or two halves, by whose second the state comes back to 2^23 every eight symbols
      if (tile[3] % 2 == 1) symbol = late ? std::min(first, second) : std::max(first, second);
      break;
    case 5:
      symbol = words[0] % 4 == 0 ? second : first;
      break;
    case 6:
      symbol = words[0] % 1000 == 0 ? second : first;
      break;
    default:
      symbol = first + words[0] % 3 * second;
  }
  return static_cast<std::uint8_t>(symbol % 16);
}

/// Special values in `count` + 1 places; those that spoil a row only where there is another.
void scatter(const Case& test_case, bool may_poison, std::span<float> x) {
  const Draw draw(test_case.seed, "x specials");
  const auto count =
      static_cast<std::size_t>(std::clamp<std::int64_t>(knob_of(test_case, "count"), 0, 7)) + 1;
  for (std::size_t i = 0; i < count; ++i) {
    const Words words = draw.words(i);
    const std::size_t from = may_poison ? 0 : kPoisonousFloats;
    const std::size_t to = may_poison && i == 0 ? kPoisonousFloats : kSpecialFloats.size();
    const std::size_t which = from + below(static_cast<std::uint32_t>(to - from), words[0]);
    x[below(static_cast<std::uint32_t>(x.size()), words[1])] = kSpecialFloats[which];
  }
}

/// [tiles, 16]: of every other tile all alike; of those between, two neighbours are not, in turn.
std::vector<std::uint16_t> frequencies_in_pairs(std::size_t tiles) {
  constexpr std::uint16_t kAlike = reference::kRansSlots / reference::kRansSymbols, kOff = kAlike - 1;
  std::vector<std::uint16_t> freq(tiles * reference::kRansSymbols, kAlike);
  for (std::size_t tile = 1; tile < tiles; tile += 2) {
    // The last two first: a matrix may have few tiles in a row.
    const std::size_t first = kPairsOfTables - 1 - tile / 2 % kPairsOfTables;
    freq[tile * reference::kRansSymbols + first] -= kOff;
    freq[tile * reference::kRansSymbols + first + 1] += kOff;
  }
  return freq;
}

PlannedRegime regime_of_sizes(const char* name, const char* about,
                              std::function<std::vector<Dims>(const Tile&)> sizes) {
  return {.regime = {.name = name,
                     .about = about,
                     .knobs = {{"kind", [](const Dims&, const Arithmetic&) { return 0; }, {about}}}},
          .sizes = std::move(sizes),
          .lent = false};
}

}  // namespace

std::vector<PlannedRegime> rans_stream_regimes() {
  return {
      regime_of_sizes(kRare, "symbols of 12 bits alone, one more in the first streams",
                      [](const Tile&) {
                        std::vector<Dims> all;
                        for (const auto& [rows, columns] : {std::pair{3, 3}, {5, 7}, {1, 231}})
                          all.push_back({{"batch", 1}, {"M", rows}, {"N", columns}});
                        return all;
                      }),
      regime_of_sizes(kTables, "frequencies of the tile before but for two", [](const Tile& tile) {
        const std::int64_t columns = std::max<std::int64_t>(tile.n, 32);
        return std::vector<Dims>{
            {{"batch", 1}, {"M", 2}, {"N", 2 * std::int64_t{kPairsOfTables} * columns}, {"tile_cols", 32}}};
      })};
}

std::vector<Regime> rans_decode_regimes() {
  return {
      {.name = "constant", .about = "one symbol everywhere", .knobs = {knob("code", 15)}},
      {.name = "random", .about = "every tile has a spread of symbols of its own", .weight = 8},
      damaged_rans(),
  };
}

std::vector<Regime> rans_product_regimes() {
  return {
      {.name = "constant",
       .about = "x is 1 and all symbols are the same: counts the summed columns; exact",
       .knobs = {knob("code", 15)}},
      {.name = "exact",
       .about = "small integers and a power-of-two scale: every order of summation gives the same bits",
       .knobs = {knob("range", 3)},
       .weight = 6},
      {.name = "probe",
       .about = "rows of x are unit vectors: y is a column of W",
       .knobs = {{"first", [](const Dims& dims, const Arithmetic&) { return dim(dims, "N") - 1; }}},
       .weight = 4},
      {.name = "random", .about = "ordinary values, judged by the forward error bound", .weight = 4},
      {.name = "special",
       .about = "NaN, infinities, subnormals and -0 in a few places of x",
       .knobs = {knob("count", 3)},
       .weight = 2},
      damaged_rans(),
  };
}

std::vector<std::uint8_t> draw_rans_symbols(const Case& test_case) {
  const reference::RansLayout layout = layout_of(test_case.dims);
  if (test_case.regime == "constant") {
    const auto symbol = static_cast<std::uint8_t>((1 + knob_of(test_case, "code") % 16) % 16);
    return std::vector<std::uint8_t>(layout.M * layout.N, symbol);
  }
  if (test_case.regime == kRansScales) {  // every other row without the symbol that counts for nothing
    std::vector<std::uint8_t> symbols(layout.M * layout.N);
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const std::size_t row = i / layout.N, column = i % layout.N;
      symbols[i] = static_cast<std::uint8_t>(row % 2 == 0   ? (3 * row + column) % 16
                                             : row % 4 == 1 ? 1 + (row + column) % 15
                                                            : 1 + row % 15);  // one alone
    }
    return symbols;
  }
  if (test_case.regime == kRises) {
    std::vector<std::uint8_t> symbols(layout.M * layout.N);
    for (std::size_t i = 0; i < symbols.size(); ++i) symbols[i] = static_cast<std::uint8_t>(i % 4);
    return symbols;
  }
  if (test_case.regime == kCutStream || test_case.regime == kRare) {
    // All but the favourite of draw_rans_frequencies().
    std::vector<std::uint8_t> symbols(layout.M * layout.N);
    for (std::size_t i = 0; i < symbols.size(); ++i) symbols[i] = static_cast<std::uint8_t>(1 + i % 15);
    return symbols;
  }
  const Draw of_tile(test_case.seed, "spread"), of_symbol(test_case.seed, "symbols");
  const bool like_models = test_case.regime == kModelLike;  // asked once, not for each symbol
  std::vector<std::uint8_t> symbols(layout.M * layout.N);
  for (std::size_t index = 0; index < layout.tiles(); ++index) {
    const reference::RansLayout::Tile tile = layout.tile(index);
    const Words spread = of_tile.words(index);
    for (std::size_t row = tile.row; row < tile.row + tile.rows; ++row) {
      for (std::size_t column = tile.column; column < tile.column + tile.columns; ++column) {
        const std::size_t i = row * layout.N + column;
        const std::size_t position = (row - tile.row) * tile.columns + column - tile.column;
        symbols[i] = like_models
                         ? static_cast<std::uint8_t>(model_level(of_symbol.words(i), 16))
                         : draw_symbol(spread, of_symbol.words(i), 2 * position >= tile.rows * tile.columns);
      }
    }
  }
  if (test_case.regime == kStates) lead_to_states(test_case, symbols);
  return symbols;
}

std::vector<std::uint16_t> draw_rans_frequencies(const Case& test_case,
                                                 std::span<const std::uint8_t> symbols) {
  const reference::RansLayout layout = layout_of(test_case.dims);
  if (test_case.regime == kStates) return frequencies_for_states(layout.tiles());
  std::vector<std::uint16_t> freq = reference::best_frequencies(layout, symbols);
  if (test_case.regime == "constant") return freq;
  if (test_case.regime == kTables) return frequencies_in_pairs(layout.tiles());
  if (test_case.regime == kCutStream || test_case.regime == kRare) {
    constexpr std::uint16_t kRare = reference::kRansSymbols - 1;
    for (std::size_t i = 0; i < freq.size(); ++i)
      freq[i] = i % reference::kRansSymbols == 0 ? reference::kRansSlots - kRare : 1;
    return freq;
  }
  const Draw of_tile(test_case.seed, "frequencies");
  for (std::size_t index = 0; index < layout.tiles(); ++index) {
    const Words words = of_tile.words(index);
    if (words[0] % 4 != 0) continue;
    const auto own = std::span(freq).subspan(index * reference::kRansSymbols, reference::kRansSymbols);
    std::uint16_t& favourite = own[words[1] % own.size()];
    for (std::uint16_t& one : own) one = std::min<std::uint16_t>(one, 1);
    favourite = 0;
    favourite =
        static_cast<std::uint16_t>(reference::kRansSlots - std::accumulate(own.begin(), own.end(), 0U));
  }
  return freq;
}

void fill_rans_input(const Case& test_case, std::size_t batch, std::span<float> x) {
  const std::size_t N = x.size() / batch;
  const Draw draw(test_case.seed, "x");
  const std::size_t first = static_cast<std::size_t>(knob_of(test_case, "first")) % N;
  const std::int64_t limit = std::int64_t{1} << std::clamp<std::int64_t>(knob_of(test_case, "range"), 0, 8);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (test_case.regime == "constant") {
      x[i] = 1.0F;
    } else if (test_case.regime == "probe") {
      x[i] = i % N == (first + i / N) % N ? 1.0F : 0.0F;
    } else if (test_case.regime == "random") {
      x[i] = normal_float(-4, 1, draw.words(i));
    } else if (test_case.regime == kModelLike) {
      x[i] = static_cast<float>(model_activation(draw.words(i), i % N));
    } else if (test_case.regime == kRises) {
      x[i] = static_cast<float>(rising(test_case, i % N, N, draw.words(i)));
    } else if (test_case.regime == kRansScales || test_case.regime == kPlanted ||
               test_case.regime == kLeftBehind) {  // none is 0, all of one sign
      x[i] = std::fabs(integer_float(7, draw.words(i)[0])) + 1;
    } else {
      x[i] = integer_float(limit, draw.words(i)[0]);
    }
  }
  for (std::size_t n = 0; test_case.regime == kRansScales && n < N; ++n) {
    const auto kind = odd_scale(test_case).x;
    if (kind == NamedScale::X::zero) x[n] = 0;
    if (kind == NamedScale::X::signs && n % 2 == 1) x[n] = -x[n];
    if (kind == NamedScale::X::huge) x[n] = 0x1.8p127F;
  }
  for (std::size_t m = 0; test_case.regime == kLeftBehind && m < batch; ++m) {
    const std::size_t before = infinity_before_last(m + static_cast<std::size_t>(knob_of(test_case, "kind")));
    if (before < N) x[m * N + N - 1 - before] = HUGE_VALF;
  }
  if (test_case.regime == "special") scatter(test_case, batch > 1, x);
}

PlannedRegime rans_scales_regime() {
  std::vector<std::string> words;
  words.reserve(std::size(kOddScales));
  for (const NamedScale& one : kOddScales) words.emplace_back(one.words);
  return {
      .regime = {.name = kRansScales,
                 .about = "scales and zero points that are not finite, huge, subnormal or 0",
                 .knobs = {{"kind", [](const Dims&, const Arithmetic&) { return std::ssize(kOddScales) - 1; },
                            std::move(words)}}},
      .sizes = [](const Tile&) {
        return std::vector<Dims>{{{"batch", 3}, {"M", 9}, {"N", 33}}};
      }};
}

PlannedRegime rans_left_behind_regime() {
  PlannedRegime planned = left_behind_regime();
  Knob& kind = planned.regime.knobs.front();
  kind.names.clear();
  for (std::size_t line = 0; line < kPlacesBehind; ++line)
    kind.names.push_back(fmt::format("x: infinity {} before the last of N", infinity_before_last(line)));
  kind.largest = [](const Dims&, const Arithmetic&) { return kPlacesBehind - 1; };
  planned.sizes = [](const Tile&) { return std::vector<Dims>{{{"batch", 3}, {"M", 9}, {"N", 97}}}; };
  return planned;
}

PlannedRegime rans_rises_regime() {
  PlannedRegime planned =
      rises_regime();  // floats tell sums apart that halves do not: it is what is too large
  planned.regime.knobs.front().names.resize(1);
  planned.regime.knobs.front().largest = [](const Dims&, const Arithmetic&) { return 0; };
  planned.sizes = [](const Tile&) { return std::vector<Dims>{{{"batch", 2}, {"M", 9}, {"N", 4136}}}; };
  return planned;
}

RansScale draw_rans_scale(const Case& test_case) {
  if (test_case.regime == kLeftBehind || test_case.regime == kRises) return {1.0F, 1.0F};
  if (test_case.regime == kRansScales) return odd_scale(test_case).values;
  // A kernel that has nothing to decode is to see what is damaged all the same.
  if (test_case.regime == kDefects) {
    const std::int64_t number =
        knob_of(test_case, "defect") / std::max<std::int64_t>(1, all_tiles_but_one(test_case.dims));
    if (number % 4 == 1) return {0.0F, 1.0F};
  }
  if (test_case.regime == kPlanted) return {0.5F, 1.0F};
  if (test_case.regime == kModelLike) return {0.0137F, -0.1031F};  // about 0, as symmetric weights have it
  const Words words = Draw(test_case.seed, "scale").words(0), others = Draw(test_case.seed, "scale").words(1);
  if (test_case.regime == "constant") return {1.0F, 0.0F};
  if (test_case.regime == "probe") return {normal_float(-20, 20, words), normal_float(-20, 20, others)};
  if (test_case.regime == "random") return {normal_float(-6, -2, words), normal_float(-6, 1, others)};
  const float scale = std::ldexp(words[3] & 1 ? 1.0F : -1.0F, static_cast<int>(between(-2, 2, words[0])));
  return {scale, scale * integer_float(9, others[0])};
}

}  // namespace assay::properties
