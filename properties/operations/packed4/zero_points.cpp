#include "properties/operations/packed4/zero_points.hpp"

#include <algorithm>
#include <utility>

#include "properties/cases/declaration.hpp"
#include "properties/cases/draw.hpp"
#include "properties/cases/model_values.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/planted.hpp"
#include "properties/cases/special_values.hpp"
#include "properties/operations/packed4/listed_values.hpp"
#include "properties/operations/products/gemm_values.hpp"
#include "reference/half.hpp"

namespace assay::properties {
namespace {

/// Odd, so that 2^16 steps reach every half, and not the step of the scales.
constexpr std::uint64_t kSweepStep = 0x6A5D;
/// NaN and both infinities spoil the column they are in.
constexpr std::size_t kPoisonousZeros = 3;
constexpr std::uint32_t kLowCodes = 12;
constexpr std::uint32_t kSingleCodes = 15;  ///< 0..14: the code after it must exist

/// From 8 below to 8 above the middle of what codes stand for.
std::uint16_t among_codes(const WeightFormat& format, double fraction) {
  return reference::half_from_double(7.5 - static_cast<double>(format.zero) - 8.0 + 16.0 * fraction);
}

std::uint16_t fractional_zero(const WeightFormat& format, const Words& words) {
  return among_codes(format, words[0] * 0x1p-32);
}

/// Multiples of 1/2.
std::uint16_t half_step_zero(const WeightFormat& format, const Words& words) {
  return among_codes(format, below(32, words[0]) / 32.0);
}

std::uint16_t integer_zero(const WeightFormat& format, unsigned code) {
  return reference::half_from_double(static_cast<double>(code) - static_cast<double>(format.zero));
}

std::uint16_t probing_zero(const WeightFormat& format, const Words& words) {
  switch (words[2] % 4) {
    case 0:
      return half_step_zero(format, words);
    case 1:
      return integer_zero(format, below(16, words[0]));
    case 2:
      return bounded_half(kOne, words);
    default:
      return fractional_zero(format, words);
  }
}

/// In the middle of the codes, or one beside it.
std::uint16_t model_zero(const WeightFormat& format, const Words& words) {
  return integer_zero(format, 7 + below(3, words[0]));
}

}  // namespace

unsigned code_of_zero(const Case& test_case, const WeightFormat& format, std::size_t index) {
  if (!format.zero_points) return format.zero;
  return below(test_case.regime == kNothing ? kLowCodes : kSingleCodes,
               Draw(test_case.seed, "zeros").words(index)[0]);
}

void fill_zeros(const Case& test_case, const WeightFormat& format, std::span<std::uint16_t> zeros) {
  if (is_listed(test_case)) return fill_listed_zeros(test_case, zeros);
  const std::size_t N = extent(test_case.dims, "N");
  const Draw draw(test_case.seed, "zeros");
  for (std::size_t i = 0; i < zeros.size(); ++i) {
    if (test_case.regime == "constant") {
      zeros[i] = kOneHalf;
    } else if (test_case.regime == "single" || test_case.regime == kNothing || test_case.regime == kBrink) {
      // Of "nothing": below the codes of one sign, 12 and up.
      zeros[i] = integer_zero(format, code_of_zero(test_case, format, i));
    } else if (test_case.regime == "exact") {
      zeros[i] = half_step_zero(format, draw.words(i));
    } else if (test_case.regime == "probe") {
      zeros[i] = probing_zero(format, draw.words(i));
    } else if (test_case.regime == kModelLike) {
      zeros[i] = model_zero(format, draw.words(i));
    } else if (test_case.regime == kPlanted) {
      zeros[i] = among_codes(format, 0.6 * (draw.words(i)[0] * 0x1p-32));
    } else if (test_case.regime == "cancel") {
      zeros[i] = fractional_zero(format, draw.words(i % N));
    } else {
      zeros[i] = fractional_zero(format, draw.words(i));
    }
  }
  if (test_case.regime == "special") {
    scatter_specials(test_case, "zero specials", kPoisonousZeros, N > 1, zeros);
  }
}

void fill_dequantize_zeros(const Case& test_case, const WeightFormat& format,
                           std::span<std::uint16_t> zeros) {
  if (is_listed(test_case)) return fill_listed_zeros(test_case, zeros);
  const Draw draw(test_case.seed, "zeros");
  for (std::size_t i = 0; i < zeros.size(); ++i) {
    const Words words = draw.words(i);
    if (test_case.regime == "constant") {
      zeros[i] = kOneHalf;
    } else if (test_case.regime == kModelLike) {
      zeros[i] = model_zero(format, words);
    } else if (test_case.regime == "exact") {
      zeros[i] = half_step_zero(format, words);
    } else if (test_case.regime == "sweep") {
      zeros[i] =
          static_cast<std::uint16_t>(static_cast<std::uint64_t>(knob_of(test_case, "zero")) + i * kSweepStep);
    } else if (test_case.regime == "any" && words[2] % 2 == 0) {
      zeros[i] = static_cast<std::uint16_t>(words[0] >> 16);
    } else {
      zeros[i] = fractional_zero(format, words);
    }
  }
}

std::vector<Counterfactual> zero_counterfactuals(const Problem& problem) {
  if (std::none_of(problem.inputs.begin(), problem.inputs.end(),
                   [](const Tensor& one) { return one.name == "zeros"; })) {
    return {};
  }
  Counterfactual biased{"zero points had been added to the magic bias first (1024 + z is rounded to half)",
                        problem};
  for (std::uint16_t& zero : input(biased.problem, "zeros").as<std::uint16_t>()) {
    const auto sum = reference::half_from_double(1024 + reference::half_to_double(zero));
    zero = reference::half_from_double(reference::half_to_double(sum) - 1024);
  }
  return {std::move(biased)};
}

}  // namespace assay::properties
