#include "properties/operations/products/gemm_values.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "properties/cases/draw.hpp"
#include "properties/cases/model_values.hpp"
#include "properties/cases/planted.hpp"
#include "properties/cases/special_values.hpp"
#include "properties/operations/packed4/listed_values.hpp"
#include "properties/operations/packed4/zero_points.hpp"
#include "reference/groups.hpp"
#include "reference/half.hpp"

namespace assay::properties {
namespace {

constexpr std::uint16_t kInfinity = 0x7C00;
constexpr std::size_t kPoisonousActivations = 3;
constexpr std::size_t kPoisonousScales = 5;

Knob knob(std::string name, std::int64_t largest) {
  return {std::move(name), [largest](const Dims&, const Arithmetic&) { return largest; }};
}

Knob position_knob() {
  return {"first", [](const Dims& dims, const Arithmetic&) { return dim(dims, "K") - 1; }};
}

std::uint16_t ordinary_activation(const Words& words) { return ordinary_half(-4, 1, words); }
std::uint16_t ordinary_scale(const Words& words) { return ordinary_half(-6, -2, words); }

/// Element (m, k) of the cancelling regime: minus its partner 2^distance before it, half the time but for the
/// last bit of the fraction, and now and then small instead, so that the partner is left over.
std::uint16_t cancelling_activation(const Draw& draw, std::size_t m, std::size_t k, std::size_t K,
                                    std::size_t step) {
  const bool second = k % (2 * step) >= step;
  if (!second && k + step >= K) return ordinary_activation(draw.words(m * K + k));  // no partner
  const Words words = draw.words(m * K + (second ? k - step : k));
  const std::uint16_t first = ordinary_half(4, 4, words);
  if (!second) return first;
  if (words[2] % 16 == 0) return ordinary_activation(draw.words(m * K + k));
  return static_cast<std::uint16_t>((first ^ 0x8000) ^ (words[2] >> 31));
}

}  // namespace

/// A special case in which the last group of a column has an infinite scale, and terms that are positive, so
/// that their sum is infinite: a 0 that a kernel makes of what lies past K, times that scale, is NaN.
bool has_infinite_scale(const Case& test_case) {
  return test_case.regime == "special" && knob_of(test_case, "infinite") != 0;
}

namespace {

enum class NothingColumn { nothing, nothing_last, one_sign, as_drawn };

/// Infinity in some lines of their own, so many k before the last, or groups.
constexpr std::size_t kBeforeLast[] = {6, 14, 24, 48, 96}, kGroupsBeforeLast[] = {1, 2, 6};

/// Sums that come to more than a half holds, or to more than it tells from its neighbours, in the middle of
/// K.
constexpr int kHighLeast = 16, kHighMost = 48;

bool has_one_sign(const Case& test_case) {
  return has_infinite_scale(test_case) || test_case.regime == kPlanted || test_case.regime == kNothing ||
         test_case.regime == kLeftBehind || test_case.regime == kRises || test_case.regime == kBlank;
}

/// Of K, where A is 0 under "blank".
std::pair<std::size_t, std::size_t> blank_part(const Case& test_case) {
  constexpr std::array<std::pair<std::size_t, std::size_t>, 3> kParts = {
      {{8, 16}, {32, 64}, {0, ~std::size_t{0}}}};
  const auto kind = std::clamp<std::int64_t>(knob_of(test_case, "kind"), 0, std::ssize(kParts) - 1);
  const std::size_t K = extent(test_case.dims, "K");
  auto [begin, end] = kParts[static_cast<std::size_t>(kind)];
  return {begin < K ? begin : 0, std::min(end, K)};
}

/// Element (m, k) of A under "brink". Sums from 65,504 on round to it up to 65,519, and from 65,520 on to
/// infinity; of whole numbers times 2^-25 every other one lies halfway between two halves.
std::uint16_t brink_activation(const Case& test_case, std::size_t m, std::size_t k) {
  constexpr std::array<int, 12> kMore = {15, 16, 6, 8, 17, 24, 31, 32, 4, 1, 14, 12};
  const double sign = m / kMore.size() % 2 == 0 ? 1 : -1;
  if (knob_of(test_case, "kind") == 1)
    return k == 0 ? reference::half_from_double(sign * static_cast<double>(m + 1) * 0x1p-24) : 0;
  return k > 1 ? 0 : reference::half_from_double(sign * (k == 0 ? 65504.0 : kMore[m % kMore.size()]));
}

/// In "nothing", which of four kinds a column is, for its first or its last group.
NothingColumn column_kind(const Case& test_case, std::size_t group, std::size_t n, std::size_t groups) {
  const std::size_t infinite = n / 4 % 2 == 0 ? groups - 1 : 0;
  if (test_case.regime != kNothing || group != infinite) return NothingColumn::as_drawn;
  return static_cast<NothingColumn>(n % 4);
}

}  // namespace

std::size_t infinity_before_last(std::size_t line) { return kBeforeLast[line % std::size(kBeforeLast)]; }

std::optional<std::size_t> infinite_group(const Case& test_case, std::size_t column, std::size_t groups) {
  if (test_case.regime == kBlank) {
    if (column % 2 == 1) return std::nullopt;
    const std::size_t begin = blank_part(test_case).first, group_size = extent(test_case.dims, "group_size");
    return std::min(begin / group_size, groups - 1);
  }
  if (test_case.regime != kLeftBehind || knob_of(test_case, "kind") != 1) return std::nullopt;
  const std::size_t before = kGroupsBeforeLast[column % std::size(kGroupsBeforeLast)];
  return before < groups ? std::optional(groups - 1 - before) : std::nullopt;
}

double rising(const Case& test_case, std::size_t k, std::size_t K, const Words& words) {
  const std::int64_t magnitude =
      knob_of(test_case, "size") == 0 ? between(kHighLeast, kHighMost, words[0]) : 1;
  return static_cast<double>(2 * k < K ? magnitude : -magnitude);
}

std::size_t cancelling_step(const Case& test_case) {
  return std::size_t{1} << std::clamp<std::int64_t>(knob_of(test_case, "distance"), 0, 16);
}

std::vector<Regime> gemm_regimes() {
  const Knob range = {"range", [](const Dims&, const Arithmetic& arithmetic) -> std::int64_t {
                        const bool halves = arithmetic.accumulate == Precision::half_precision ||
                                            arithmetic.means("partials", "half");
                        return halves ? 0 : 3;
                      }};
  return {
      {.name = "constant",
       .about = "A is 1 and all weights are the same: counts the summed k; exact",
       .knobs = {knob("code", 5)}},
      {.name = "exact",
       .about =
           "small integers and power-of-two scales, all codes: every order of summation gives the same bits",
       .knobs = {range},
       .weight = 5},
      {.name = "probe",
       .about = "rows of A are unit vectors: C is W, bit for bit, under scales of every exponent",
       .knobs = {position_knob()},
       .weight = 5},
      {.name = "single",
       .about = "one weight of 1 in each column: C is A, bit for bit, for every finite half",
       .knobs = {position_knob()},
       .weight = 2},
      {.name = "random", .about = "ordinary values, judged by the forward error bound", .weight = 4},
      {.name = "cancel",
       .about = "large terms that cancel, judged by the forward error bound",
       .knobs = {knob("distance", 5)},
       .weight = 2},
      {.name = "special",
       .about = "NaN, infinities, subnormals, -0 and overflowing weights in a few places",
       .knobs = {knob("count", 3), knob("infinite", 1)},
       .weight = 2,
       .half_sums_safe = false},
  };
}

void fill_activations(const Case& test_case, std::span<std::uint16_t> A) {
  const std::size_t M = extent(test_case.dims, "M"), K = extent(test_case.dims, "K");
  const Draw draw(test_case.seed, "A");
  const std::size_t first = static_cast<std::size_t>(knob_of(test_case, "first")) % K;
  const int limit = 1 << std::clamp<std::int64_t>(knob_of(test_case, "range"), 0, 8);
  const std::size_t step = cancelling_step(test_case);
  const bool specials = test_case.regime == "special", one_sign = has_one_sign(test_case);
  // The regime is asked for once, not for each element: large problems have millions.
  const auto fill = [&](const auto& element) {
    for (std::size_t m = 0; m < M; ++m) {
      for (std::size_t k = 0; k < K; ++k) A[m * K + k] = element(m, k);
    }
  };
  if (test_case.regime == "constant") {
    fill([](std::size_t, std::size_t) { return kOne; });
  } else if (test_case.regime == "probe" || is_listed(test_case)) {
    fill([&](std::size_t m, std::size_t k) { return k == (first + m) % K ? kOne : std::uint16_t{0}; });
  } else if (test_case.regime == "exact") {
    fill([&](std::size_t m, std::size_t k) { return integer_half(limit, draw.words(m * K + k)); });
  } else if (test_case.regime == "single") {
    fill([&](std::size_t m, std::size_t k) { return bounded_half(kLargestFinite, draw.words(m * K + k)); });
  } else if (test_case.regime == "cancel") {
    fill([&](std::size_t m, std::size_t k) { return cancelling_activation(draw, m, k, K, step); });
  } else if (test_case.regime == kBrink) {
    fill([&](std::size_t m, std::size_t k) { return brink_activation(test_case, m, k); });
  } else if (test_case.regime == kRises) {
    fill([&](std::size_t m, std::size_t k) {
      return reference::half_from_double(rising(test_case, k, K, draw.words(m * K + k)));
    });
  } else if (test_case.regime == kModelLike) {
    fill([&](std::size_t m, std::size_t k) {
      return reference::half_from_double(model_activation(draw.words(m * K + k), k));
    });
  } else {
    fill([&](std::size_t m, std::size_t k) {
      const Words words = draw.words(m * K + k);
      const std::uint16_t ordinary = ordinary_activation(words);
      if (one_sign) return static_cast<std::uint16_t>(ordinary & 0x7FFF);
      return specials && words[2] % 16 == 0 ? kNegativeZero : ordinary;
    });
  }
  if (test_case.regime == kNothing && M > 1) A[K - 1] = kInfinity;
  if (test_case.regime == kNothing && M > 3)
    std::fill_n(A.begin() + static_cast<std::ptrdiff_t>((M - 2) * K), K, 0);
  if (test_case.regime == kLeftBehind && knob_of(test_case, "kind") == 0) {
    for (std::size_t m = 0; m < M; ++m) {
      const bool usual = m < std::size(kBeforeLast) || K == 1;
      const std::size_t before = usual ? infinity_before_last(m) : 1 + (m - std::size(kBeforeLast)) % (K - 1);
      if (before < K) A[m * K + K - 1 - before] = kInfinity;
    }
  }
  if (test_case.regime == kBlank) {
    const auto [begin, end] = blank_part(test_case);
    for (std::size_t m = 0; m < M; ++m)
      std::fill(A.begin() + static_cast<std::ptrdiff_t>(m * K + begin),
                A.begin() + static_cast<std::ptrdiff_t>(m * K + end), std::uint16_t{0});
  }
  if (test_case.regime == "special")
    scatter_specials(test_case, "A specials", kPoisonousActivations, M > 1, A);
}

std::vector<std::uint8_t> draw_codes(const Case& test_case, const WeightFormat& format) {
  if (is_listed(test_case)) return listed_codes(test_case);
  const std::size_t K = extent(test_case.dims, "K"), N = extent(test_case.dims, "N");
  const std::size_t group_size = extent(test_case.dims, "group_size");
  const Draw draw(test_case.seed, "codes"), zeros(test_case.seed, "zero words");
  // Groups of which nothing is left out where zeros are skipped, but what their scale makes of them.
  const bool specials = test_case.regime == "special" || test_case.regime == "any";
  const std::size_t first = static_cast<std::size_t>(knob_of(test_case, "first")) % K;
  const auto constant =
      static_cast<std::uint8_t>((format.one + static_cast<unsigned>(knob_of(test_case, "code") % 16)) % 16);
  const std::size_t step = cancelling_step(test_case);
  // Asked once, not for each element: large problems have tens of millions.
  const bool all_ones = test_case.regime == kBrink;
  const bool constants = test_case.regime == "constant", singles = test_case.regime == "single" || all_ones;
  const bool like_models = test_case.regime == kModelLike, nothings = test_case.regime == kNothing;
  const bool cancels = test_case.regime == "cancel", one_sign = has_one_sign(test_case);
  const bool plain = !constants && !singles && !like_models && !nothings && !specials && !one_sign;
  std::vector<std::uint8_t> codes(K * N);
  std::vector<std::uint32_t> row(N);  // of random words, eight codes each
  std::size_t row_of = ~std::size_t{0};
  for (std::size_t k = 0; k < K; ++k) {
    // Terms cancel where their weights are the same.
    const bool second = cancels && k % (2 * step) >= step;
    const std::size_t source = second ? k - step : k;
    if (!constants && !singles && !like_models && row_of != source / 8) {
      row_of = source / 8;
      draw.first_words(row_of * N, row);
    }
    if (plain) {
      for (std::size_t n = 0; n < N; ++n)
        codes[k * N + n] = static_cast<std::uint8_t>(row[n] >> (4 * (source % 8)) & 0xF);
      continue;
    }
    for (std::size_t n = 0; n < N; ++n) {
      std::uint8_t& code = codes[k * N + n];
      if (constants) {
        code = constant;
      } else if (singles) {
        const unsigned zero = code_of_zero(test_case, format, reference::group_of(k, group_size) * N + n);
        code = static_cast<std::uint8_t>(all_ones || k == (first + n) % K ? zero + format.one - format.zero
                                                                          : zero);
      } else if (like_models) {
        code = model_code(draw.words(k * N + n), format);
      } else {
        const std::size_t group = reference::group_of(source, group_size) * N + n;
        const bool nothing = specials && zeros.words(group)[0] % 8 == 0;
        const std::uint32_t eight = nothing ? 0 : row[n];
        code = static_cast<std::uint8_t>(eight >> (4 * (source % 8)) & 0xF);
        // Positive: of FP4 all that are; of integers those above most zero points.
        if (one_sign) code = static_cast<std::uint8_t>(format.zero_points ? 12 + code % 4 : 1 + code % 7);
        if (!nothings) continue;
        const NothingColumn kind =
            column_kind(test_case, source / group_size, n, reference::group_count(K, group_size));
        const bool last = k + 1 == K || (k + 1) % group_size == 0;
        const bool beside_infinity = n % 4 == 3 && k + 1 == K;
        if (kind == NothingColumn::nothing || (kind == NothingColumn::nothing_last && last) ||
            beside_infinity) {
          const unsigned sign = format.zero_points ? 0 : k % 2 * 8;  // -0 is nothing too
          code = static_cast<std::uint8_t>(code_of_zero(test_case, format, group) ^ sign);
        }
      }
    }
  }
  return codes;
}

void fill_scales(const Case& test_case, const WeightFormat& format, std::span<std::uint16_t> scales) {
  if (is_listed(test_case)) return fill_listed_scales(test_case, scales);
  const std::size_t N = extent(test_case.dims, "N");
  const Draw draw(test_case.seed, "scales");
  const auto spread = static_cast<int>(std::clamp<std::int64_t>(knob_of(test_case, "range"), 0, 2));
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const Words words = draw.words(i);
    if (test_case.regime == "constant" || test_case.regime == "single") {
      scales[i] = kOne;
    } else if (test_case.regime == kBrink) {
      scales[i] = knob_of(test_case, "kind") == 1 ? kOneHalf : kOne;
    } else if (test_case.regime == "exact") {
      scales[i] = power_of_two_half(-spread, spread, words);
    } else if (test_case.regime == "probe") {
      scales[i] = bounded_half(format.tame_scale, words);
    } else if (test_case.regime == kRises) {
      scales[i] = kOne;
    } else if (test_case.regime == kModelLike) {
      scales[i] = reference::half_from_double(model_scale(words));
    } else if (test_case.regime == "cancel") {
      scales[i] =
          ordinary_scale(draw.words(i % N));  // one scale a column, so that terms of two groups cancel
    } else if (test_case.regime == "special" && words[2] % 8 == 0) {
      scales[i] = words[2] & 8 ? bounded_half(0x03FF, words) : ordinary_half(8, 12, words);
    } else {
      scales[i] = ordinary_scale(words);
      if (has_one_sign(test_case)) scales[i] &= 0x7FFF;
    }
    if (column_kind(test_case, i / N, i % N, scales.size() / N) != NothingColumn::as_drawn)
      scales[i] = kInfinity;
  }
  for (std::size_t n = 0; n < N; ++n) {
    if (const auto group = infinite_group(test_case, n, scales.size() / N))
      scales[*group * N + n] = kInfinity;
  }
  if (test_case.regime == "special")
    scatter_specials(test_case, "scale specials", kPoisonousScales, N > 1, scales);
  if (has_infinite_scale(test_case)) {
    const Words words = Draw(test_case.seed, "infinite scale").words(0);
    scales[scales.size() - N + below(static_cast<std::uint32_t>(N), words[0])] = kInfinity;
  }
}

}  // namespace assay::properties
