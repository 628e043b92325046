#include "golden/model/group_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "reference/fp4.hpp"
#include "reference/half.hpp"

namespace assay::golden {
namespace {

using reference::half_from_double;
using reference::half_to_double;

constexpr std::uint16_t kHalfOne = 0x3C00, kLeastHalf = 0x0001;
constexpr std::array<double, 9> kFp4Divisors = {6, 5.5, 6.5, 5, 7, 4.5, 7.5, 4, 8};
constexpr double kLargestFp4Scale = 10912;
constexpr float kLargestHalf = 65504;
constexpr std::array<double, 5> kInt4Ranges = {1, 0.95, 0.9, 0.85, 0.8};
constexpr std::array<double, 5> kSymmetricDivisors = {7.5, 7, 8, 9, 10};
constexpr unsigned kLargestInt4 = 15, kSignedZero = 8;
/// The largest halves that 15 and 8 times are finite as halves.
constexpr std::array<double, 2> kFiniteInt4Scales = {4367, 8188};

std::uint16_t scale_of(double value) {
  return std::max(kLeastHalf, half_from_double(std::min(value, reference::kHalfMax)));
}

}  // namespace

template <std::size_t N>
void GroupFit::try_levels(const FittedGroup& group, const Levels<float, N>& levels,
                          std::span<const float> weights) {
  levels.codes(weights, tried_);
  const double error = squared_error(levels, tried_, weights);
  if (!(error < least_)) return;
  least_ = error;
  best_ = group;
  std::swap(tried_, best_codes_);
}

void GroupFit::try_fp4(double scale) {
  const FittedGroup group = {scale_of(std::min(scale, kLargestFp4Scale)), 0};
  std::array<float, 8> magnitudes{};
  for (unsigned code = 0; code < magnitudes.size(); ++code)
    magnitudes[code] = static_cast<float>(weight(group, code));
  try_levels(group, Levels<float, 8>(magnitudes), magnitudes_);
}

void GroupFit::try_int4(std::span<const float> weights, double scale, double zero) {
  const FittedGroup group = {scale_of(scale),
                             static_cast<unsigned>(std::clamp(std::floor(zero + 0.5), 0.0, 15.0))};
  std::array<float, kLargestInt4 + 1> values{};
  for (unsigned code = 0; code < values.size(); ++code)
    values[code] = static_cast<float>(weight(group, code));
  try_levels(group, Levels<float, 16>(values), weights);
}

void GroupFit::fit_fp4(double largest) {
  for (const double divisor : kFp4Divisors) try_fp4(largest / divisor);
}

void GroupFit::fit_int4(std::span<const float> weights, double low, double high) {
  const auto try_range = [&](double ratio, double scale) {
    try_int4(weights, scale, -ratio * low / half_to_double(scale_of(scale)));
  };
  const double largest = std::max(-low, high);
  for (const double ratio : kInt4Ranges) try_range(ratio, ratio * (high - low) / kLargestInt4);
  for (const double scale : kFiniteInt4Scales) {
    if (largest > kLargestInt4 * kFiniteInt4Scales[0] / 2) try_range(1, scale);
  }
  for (const double divisor : kSymmetricDivisors) {
    if (format_ == PackedFormat::s4) try_int4(weights, largest / divisor, kSignedZero);
  }
}

FittedGroup GroupFit::fit(std::span<const float> weights, std::span<std::uint8_t> codes) {
  const auto [lowest, highest] = std::minmax_element(weights.begin(), weights.end());
  double low = std::min(0.0, static_cast<double>(*lowest));
  double high = std::max(0.0, static_cast<double>(*highest));
  if (std::max(-low, high) > reference::kHalfMax) {
    clamped_.resize(weights.size());
    std::transform(weights.begin(), weights.end(), clamped_.begin(),
                   [](float weight) { return std::clamp(weight, -kLargestHalf, kLargestHalf); });
    weights = clamped_;
    low = std::max(low, -reference::kHalfMax);
    high = std::min(high, reference::kHalfMax);
  }
  best_ = {kHalfOne, format_ == PackedFormat::s4 ? kSignedZero : 0};
  least_ = std::numeric_limits<double>::infinity();
  tried_.resize(weights.size());
  best_codes_.assign(weights.size(), static_cast<std::uint8_t>(best_.zero));
  const bool some = low < 0 || high > 0;
  if (format_ != PackedFormat::fp4) {
    if (some) fit_int4(weights, low, high);
    std::copy(best_codes_.begin(), best_codes_.end(), codes.begin());
    return best_;
  }
  magnitudes_.resize(weights.size());
  std::transform(weights.begin(), weights.end(), magnitudes_.begin(), [](float w) { return std::fabs(w); });
  if (some) fit_fp4(std::max(-low, high));
  for (std::size_t i = 0; i < weights.size(); ++i)
    codes[i] = static_cast<std::uint8_t>(best_codes_[i] | (std::signbit(weights[i]) ? 8 : 0));
  return best_;
}

double GroupFit::weight(const FittedGroup& group, unsigned code) const {
  if (format_ == PackedFormat::fp4) return half_to_double(reference::fp4_weight(code, group.scale));
  // The difference is a whole number, so both chains of roundings give this.
  const int steps = static_cast<int>(code) - static_cast<int>(group.zero);
  return reference::round_to_half(steps * half_to_double(group.scale));
}

}  // namespace assay::golden
