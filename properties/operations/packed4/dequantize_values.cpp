#include "properties/operations/packed4/dequantize_values.hpp"

#include "properties/cases/draw.hpp"
#include "properties/cases/model_values.hpp"
#include "properties/cases/planted.hpp"
#include "properties/cases/special_values.hpp"
#include "properties/operations/packed4/listed_values.hpp"
#include "reference/half.hpp"

namespace assay::properties {
namespace {

/// Odd, so that 2^16 steps reach every half; large, so that neighbours differ and NaN are spread out.
constexpr std::uint64_t kSweepStep = 0x9E37;

Knob knob(std::string name, std::int64_t largest) {
  return {std::move(name), [largest](const Dims&, const Arithmetic&) { return largest; }};
}

}  // namespace

std::vector<Regime> dequantize_regimes(const WeightFormat& format) {
  std::vector<Knob> sweep = {knob("first", 0xFFFF), knob("phase", 1)};
  if (format.zero_points) sweep.push_back(knob("zero", 0xFFFF));
  return {
      {.name = "constant",
       .about = "scales of 1, codes in turn: the table of codes, the place of each nibble"},
      {.name = "exact", .about = "power-of-two scales, all codes", .weight = 2},
      {.name = "random", .about = "ordinary scales of both signs: one rounding a weight", .weight = 4},
      {.name = "sweep",
       .about = "every half as a scale, codes in turn: every scale under every code over the cases",
       .knobs = std::move(sweep),
       .weight = 4},
      {.name = "any", .about = "scales of any bits: NaN, infinities, subnormals, both zeros", .weight = 3},
  };
}

std::vector<std::uint8_t> draw_dequantize_codes(const Case& test_case, const WeightFormat& format) {
  if (is_listed(test_case)) return listed_codes(test_case);
  const std::size_t K = extent(test_case.dims, "K"), N = extent(test_case.dims, "N");
  const Draw draw(test_case.seed, "codes");
  const bool in_turn = test_case.regime == "constant" || test_case.regime == "sweep";
  const std::size_t shift =
      test_case.regime == "sweep" ? 8 * static_cast<std::size_t>(knob_of(test_case, "phase")) : 0;
  std::vector<std::uint8_t> codes(K * N);
  std::vector<std::uint32_t> row(N);  // of random words, eight codes each
  const bool like_models = test_case.regime == kModelLike;
  for (std::size_t k = 0; k < K; ++k) {
    const auto fill = [&](const auto& code) {
      for (std::size_t n = 0; n < N; ++n) codes[k * N + n] = static_cast<std::uint8_t>(code(n));
    };
    if (like_models) {
      fill([&](std::size_t n) { return model_code(draw.words(k * N + n), format); });
    } else if (in_turn) {
      // 3 n sets neighbouring columns apart, so that a shifted column shows.
      fill([&](std::size_t n) { return (k + shift + 3 * n) & 0xF; });
    } else {
      if (k % 8 == 0) draw.first_words(k / 8 * N, row);
      fill([&](std::size_t n) { return row[n] >> (4 * (k % 8)) & 0xF; });
    }
  }
  return codes;
}

void fill_dequantize_scales(const Case& test_case, std::span<std::uint16_t> scales) {
  if (is_listed(test_case)) return fill_listed_scales(test_case, scales);
  const Draw draw(test_case.seed, "scales");
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const Words words = draw.words(i);
    if (test_case.regime == "constant") {
      scales[i] = kOne;
    } else if (test_case.regime == "exact") {
      scales[i] = power_of_two_half(-12, 12, words);
    } else if (test_case.regime == kModelLike) {
      scales[i] = reference::half_from_double(model_scale(words));
    } else if (test_case.regime == "random" || test_case.regime == kPlanted) {
      scales[i] = ordinary_half(-10, 4, words);
    } else if (test_case.regime == "sweep") {
      scales[i] = static_cast<std::uint16_t>(static_cast<std::uint64_t>(knob_of(test_case, "first")) +
                                             i * kSweepStep);
    } else {
      scales[i] = static_cast<std::uint16_t>(words[0] >> 16);
    }
  }
}

}  // namespace assay::properties
