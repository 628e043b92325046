#include "properties/operations/trellis/trellis_values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "properties/cases/draw.hpp"
#include "properties/cases/model_values.hpp"
#include "properties/cases/planted.hpp"
#include "properties/cases/special_values.hpp"
#include "properties/operations/products/gemm_values.hpp"
#include "properties/operations/trellis/trellis_indices.hpp"
#include "reference/half.hpp"

namespace assay::properties {
namespace {

constexpr const char* kSigns = "signs";
constexpr std::uint32_t kInfinityBits = 0x7F800000;
/// The first two make a column of W infinite.
constexpr std::array<float, 6> kSpecialScales = {FLT_MAX, -0x1p40F, 0x1p-149F, -0x1p-126F, -0.0F, 0x1p-30F};
constexpr std::size_t kPoisonousScales = 2;
/// Powers of two that levels, scales, su and sv have about: their product is about 1, and so is every product
/// on the way to it in the declared order no infinity and not 0. In some other order one is.
struct FarExponents {
  int grid, scale, su, sv;
};
constexpr std::array<FarExponents, 4> kFarExponents = {
    {{100, -140, 50, -10}, {-100, 120, -60, 40}, {60, 60, -100, -20}, {-120, 30, 60, 30}}};
constexpr std::int64_t kFirstFar = 4;  ///< the first kind of "signs" with them
/// The first kind of "signs" with rows of which one in eight is no sign.
constexpr std::int64_t kOneInEight = kFirstFar + std::ssize(kFarExponents);

constexpr const char* kFactors = "factors";
/// What meets what in "factors", at each two of these values.
enum Factor { level, scale, sv };
struct MetFactors {
  const char* words;
  Factor slow, quick;
  float su;
};
constexpr std::array<MetFactors, 5> kMetFactors = {
    {{"levels, sv: special values that meet", Factor::level, Factor::sv, 1.0F},
     {"levels, scales: special values that meet", Factor::level, Factor::scale, 1.0F},
     {"scales, sv: special values that meet", Factor::scale, Factor::sv, 1.0F},
     {"levels, scales: special values that meet an su of 0", Factor::level, Factor::scale, 0.0F},
     {"levels, sv: special values that meet an infinite su", Factor::level, Factor::sv, HUGE_VALF}}};
constexpr std::array<float, 8> kSpecials = {
    0.0F, -0.0F, 1.0F, -1.0F, 0x1p-149F, FLT_MAX, HUGE_VALF, std::numeric_limits<float>::quiet_NaN()};

/// Each two, four and eight of them have a product of 1, and so has all that is taken for signs by that.
constexpr std::array<float, 8> kBalanced = {2.0F, 0.5F, -4.0F, -0.25F, 0.5F, 2.0F, 1.0F, 1.0F};

/// Of weights to be dequantized.
bool is_ordinary(const Case& test_case) {
  return test_case.regime == "random" || test_case.regime == kModelLike || test_case.regime == kPlanted ||
         test_case.regime == kSigns;
}

/// Weights of one sign, so that infinities do not meet, or sums rise.
bool has_one_sign(const Case& test_case) {
  return test_case.regime == kPlanted || test_case.regime == kLeftBehind || test_case.regime == kRises ||
         test_case.regime == kBlank;
}

float sign_of(const Words& words) { return (words[3] & 1) != 0 ? -1.0F : 1.0F; }

/// Random sign and fraction, |x| in [2^low, 2^(high+1)).
float ordinary_float(int low, int high, const Words& words) {
  const auto exponent = static_cast<int>(between(low, high, words[0]));
  return sign_of(words) * std::ldexp(1.0F + static_cast<float>(words[1] >> 9) * 0x1p-23F, exponent);
}

float power_of_two(int low, int high, const Words& words) {
  return sign_of(words) * std::ldexp(1.0F, static_cast<int>(between(low, high, words[0])));
}

/// Every float that is at most `largest` in magnitude, alike: most are tiny.
float bounded_float(float largest, const Words& words) {
  const std::uint32_t bits = below(std::bit_cast<std::uint32_t>(largest) + 1, words[0]);
  return sign_of(words) * std::bit_cast<float>(bits);
}

float finite_float(std::uint32_t bits) {
  const bool finite = (bits & kInfinityBits) != kInfinityBits;
  return std::bit_cast<float>(finite ? bits : bits ^ 0x40000000U);
}

/// A scale near the middle between two neighbouring halves, at most one float from it.
float tie_scale(const Words& words) {
  const std::uint16_t half = words[2] % 16 == 0
                                 ? kLargestFinite
                                 : static_cast<std::uint16_t>(bounded_half(kLargestFinite, words) & 0x7FFF);
  const double low = reference::half_to_double(half);
  const double above = half == kLargestFinite ? 65536.0 : reference::half_next_up(low);
  const auto middle = static_cast<float>((low + above) / 2);  // 12 bits: exact
  const auto offset = static_cast<std::int32_t>(below(3, words[1])) - 1;
  return sign_of(words) *
         std::bit_cast<float>(std::bit_cast<std::uint32_t>(middle) + static_cast<std::uint32_t>(offset));
}

/// As those kinds of "signs" have it: what was drawn, far from 1.
void move_far(const Case& test_case, const TrellisTensors& filled) {
  const std::int64_t kind = knob_of(test_case, "kind") - kFirstFar;
  if (test_case.regime != kSigns || kind < 0 || kind >= std::ssize(kFarExponents)) return;
  const FarExponents& far = kFarExponents[static_cast<std::size_t>(kind)];
  for (const auto& [values, exponent] : {std::pair{filled.grid, far.grid},
                                         {filled.scales, far.scale},
                                         {filled.su, far.su},
                                         {filled.sv, far.sv}}) {
    for (float& value : values) value = std::ldexp(value, exponent);
  }
}

/// A permutation of 0 .. 15 that follows from the seed.
std::array<int, 16> shuffled(const Draw& draw) {
  std::array<int, 16> order{};
  for (int i = 0; i < 16; ++i) order[static_cast<std::size_t>(i)] = i;
  for (std::uint32_t i = 15; i > 0; --i) std::swap(order[i], order[below(i + 1, draw.words(i)[0])]);
  return order;
}

void fill_signs(const Case& test_case, const std::string& stream, std::span<float> signs,
                std::size_t paired_step = 0) {
  const Draw draw(test_case.seed, stream);
  for (std::size_t i = 0; i < signs.size(); ++i) {
    const bool second = paired_step != 0 && i % (2 * paired_step) >= paired_step;
    if (test_case.regime == kSigns) {
      const std::int64_t kind = knob_of(test_case, "kind");
      signs[i] = kind == 3             ? kBalanced[i % kBalanced.size()]
                 : kind == kOneInEight ? sign_of(draw.words(i)) * (i % 8 == 3 ? 0.5F : 1.0F)
                                       : ordinary_float(-2, 1, draw.words(i));
      continue;
    }
    signs[i] = test_case.regime == "constant" || test_case.regime == kBrink
                   ? 1.0F
                   : sign_of(draw.words(second ? i - paired_step : i));
  }
}

/// As the kinds of "signs" have it: in the last columns; or in the last row, whose infinity meets no other.
void spoil_signs(const Case& test_case, const TrellisTensors& filled) {
  if (test_case.regime != kSigns) return;
  const std::array<float, 3> values = {HUGE_VALF, std::numeric_limits<float>::quiet_NaN(), 0.0F};
  const std::size_t columns = filled.sv.size();
  if (knob_of(test_case, "kind") == 1) {
    for (std::size_t i = 0; i < values.size() && i + 1 < columns; ++i) filled.sv[columns - 1 - i] = values[i];
  }
  if (knob_of(test_case, "kind") == 2) filled.su.back() = HUGE_VALF;
}

/// As "factors" has it: column n of the first row has the two values that n stands for.
void meet_factors(const Case& test_case, const TrellisSizes& sizes, const TrellisTensors& filled) {
  if (test_case.regime != kFactors) return;
  const MetFactors& met = kMetFactors[static_cast<std::size_t>(
      std::clamp<std::int64_t>(knob_of(test_case, "kind"), 0, std::ssize(kMetFactors) - 1))];
  const auto value_of = [&](Factor factor, std::size_t n) {
    if (factor != met.slow && factor != met.quick) return 1.0F;
    return kSpecials[(factor == met.quick ? n : n / kSpecials.size()) % kSpecials.size()];
  };
  for (std::size_t i = 0; i < filled.grid.size(); ++i)
    filled.grid[i] = met.slow == Factor::level ? kSpecials[i % kSpecials.size()] : 1.0F;
  for (std::size_t i = 0; i < filled.scales.size(); ++i)
    filled.scales[i] = value_of(Factor::scale, i % sizes.N);
  for (std::size_t n = 0; n < filled.sv.size(); ++n) filled.sv[n] = value_of(Factor::sv, n);
  std::fill(filled.su.begin(), filled.su.end(), met.su);
  fill_indices_by_column(sizes, kSpecials.size(), filled.packed_indices);
}

void fill_grid(const Case& test_case, const std::string& stream, std::span<float> grid) {
  const Draw draw(test_case.seed, stream);
  const std::array<int, 16> order = shuffled(draw);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const Words words = draw.words(100 + i);
    if (test_case.regime == "constant") {
      grid[i] = static_cast<float>(i + 1);
    } else if (test_case.regime == "exact") {
      grid[i] = static_cast<float>(order[i] - 7) * 0.5F;  // -3.5, -3, ... 4: distinct
    } else if ((test_case.regime == "single" || test_case.regime == kBrink) && i < 2) {
      grid[i] = static_cast<float>(i);
    } else if (test_case.regime == kRises) {
      grid[i] = static_cast<float>(1 + i % 2);
    } else if (test_case.regime == kModelLike) {  // ascending, closer together about 0
      const float at = 2.0F * static_cast<float>(i) + 1.0F - static_cast<float>(grid.size());
      grid[i] = at * (1.0F + std::fabs(at) / static_cast<float>(grid.size()));
    } else {
      grid[i] = ordinary_float(-3, 2, words);
      if (has_one_sign(test_case)) grid[i] = std::fabs(grid[i]);
    }
  }
}

void fill_scales(const Case& test_case, const TrellisSizes& sizes, const std::string& stream,
                 std::span<float> scales) {
  const Draw draw(test_case.seed, stream);
  const auto spread = static_cast<int>(std::clamp<std::int64_t>(knob_of(test_case, "range"), 0, 2));
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const Words words = draw.words(i);
    if (test_case.regime == "constant" || test_case.regime == "single" || test_case.regime == kRises) {
      scales[i] = 1.0F;
    } else if (test_case.regime == kBrink) {
      scales[i] = knob_of(test_case, "kind") == 1 ? 0.5F : 1.0F;
    } else if (test_case.regime == "exact") {
      scales[i] = power_of_two(-spread, spread, words);
    } else if (test_case.regime == "probe") {
      scales[i] = words[2] % 4 == 0 ? bounded_float(0x1p12F, words) : ordinary_float(-28, 11, words);
    } else if (test_case.regime == "cancel") {
      scales[i] = ordinary_float(-6, -2, draw.words(i % sizes.N));  // terms of two groups cancel
    } else if (test_case.regime == kModelLike) {
      scales[i] = static_cast<float>(model_scale(words));
    } else if (test_case.regime == "special" && words[2] % 8 == 0) {
      scales[i] = (words[2] & 8) != 0 ? bounded_float(0x1p-14F, words) : ordinary_float(6, 9, words);
    } else {
      scales[i] = ordinary_float(-6, -2, words);
      if (has_one_sign(test_case)) scales[i] = std::fabs(scales[i]);
    }
  }
  for (std::size_t n = 0; n < sizes.N; ++n) {
    if (const auto group = infinite_group(test_case, n, scales.size() / sizes.N))
      scales[*group * sizes.N + n] = HUGE_VALF;
  }
  if (test_case.regime != "special") return;
  const Draw places(test_case.seed, stream + " specials");
  const auto count =
      static_cast<std::size_t>(std::clamp<std::int64_t>(knob_of(test_case, "count"), 0, 7)) + 1;
  for (std::size_t i = 0; i < count; ++i) {
    const Words words = places.words(i);
    const std::size_t from = sizes.N > 1 ? 0 : kPoisonousScales;  // a lone column is not to be spoilt
    const std::size_t to = sizes.N > 1 && i == 0 ? kPoisonousScales : kSpecialScales.size();
    scales[below(static_cast<std::uint32_t>(scales.size()), words[1])] =
        kSpecialScales[from + below(static_cast<std::uint32_t>(to - from), words[0])];
  }
}

}  // namespace

void fill_trellis(const Case& test_case, const TrellisSizes& sizes, const std::string& stream,
                  const TrellisTensors& filled) {
  draw_trellis_indices(test_case, sizes, stream + "packed_indices", filled.packed_indices);
  fill_scales(test_case, sizes, stream + "scales", filled.scales);
  fill_grid(test_case, stream + "grid", filled.grid);
  fill_signs(test_case, stream + "su", filled.su,
             test_case.regime == "cancel" ? cancelling_step(test_case) : 0);
  if (has_one_sign(test_case)) std::fill(filled.su.begin(), filled.su.end(), 1.0F);
  fill_signs(test_case, stream + "sv", filled.sv);
  if (test_case.regime == kBlank) std::fill(filled.sv.begin(), filled.sv.end(), 1.0F);
  spoil_signs(test_case, filled);
  move_far(test_case, filled);
  meet_factors(test_case, sizes, filled);
}

PlannedRegime signs_regime() {
  return {
      .regime = {.name = kSigns,
                 .about = "factors of rows and columns that are not +1 or -1",
                 .knobs = {{"kind",
                            [](const Dims&, const Arithmetic&) { return kOneInEight; },
                            {"su and sv that are not exactly 1", "sv: infinity, NaN and 0", "su: infinity",
                             "su and sv that are not 1, with products of 1",
                             "levels far above 1, scales far below", "levels far below 1, scales far above",
                             "levels and scales far above 1", "levels and scales far from 1, su and sv too",
                             "su and sv of which one in eight is no sign"}}},
                 .regrouped_safe = false},
      .sizes = nullptr};
}

PlannedRegime factors_regime() {
  std::vector<std::string> words;
  for (const MetFactors& one : kMetFactors) words.emplace_back(one.words);
  return {.regime = {.name = kFactors,
                     .about = "special values of two factors of one weight, one of each pair of eight",
                     .knobs = {{"kind",
                                [](const Dims&, const Arithmetic&) { return std::ssize(kMetFactors) - 1; },
                                std::move(words)}},
                     .half_sums_safe = false},
          .sizes =
              [](const Tile&) {
                return std::vector<Dims>{
                    {{"M", 1}, {"N", 64}, {"K", 1}, {"bits", 3}, {"n_levels", 8}, {"group_size", 8}}};
              },
          .lent = false};
}

std::vector<Regime> dequantize_trellis_regimes() {
  return {
      {.name = "constant", .about = "indices in turn, scales and signs of 1: the place of each index"},
      {.name = "exact", .about = "all indices, powers of two, both signs", .weight = 2},
      {.name = "random", .about = "levels and scales of any fraction: two roundings a weight", .weight = 4},
      {.name = "tie", .about = "products halfway between two halves, or next to it", .weight = 4},
      {.name = "any", .about = "levels and scales of any finite bits: underflow, overflow, -0", .weight = 3},
  };
}

void fill_dequantize_trellis(const Case& test_case, const TrellisSizes& sizes, const TrellisTensors& filled) {
  draw_dequantized_indices(test_case, sizes, filled.packed_indices);
  const Draw grid(test_case.seed, "grid"), scales(test_case.seed, "scales");
  for (std::size_t i = 0; i < filled.grid.size(); ++i) {
    const Words words = grid.words(i);
    filled.grid[i] = test_case.regime == "constant" ? static_cast<float>(i + 1)
                     : is_ordinary(test_case)       ? ordinary_float(-6, 2, words)
                     : test_case.regime == "any"    ? finite_float(words[0])
                                                    : std::ldexp(sign_of(words), static_cast<int>(i) - 4);
  }
  for (std::size_t i = 0; i < filled.scales.size(); ++i) {
    const Words words = scales.words(i);
    filled.scales[i] = test_case.regime == "constant" ? 1.0F
                       : test_case.regime == "exact"  ? power_of_two(-20, 8, words)
                       : is_ordinary(test_case)       ? ordinary_float(-10, 4, words)
                       : test_case.regime == "tie"    ? tie_scale(words)
                                                      : finite_float(words[0]);
  }
  fill_signs(test_case, "su", filled.su);
  fill_signs(test_case, "sv", filled.sv);
  spoil_signs(test_case, filled);
  move_far(test_case, filled);
  meet_factors(test_case, sizes, filled);
}

}  // namespace assay::properties
