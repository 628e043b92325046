#include "kernels/host/group_quantizer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "reference/fp4.hpp"
#include "reference/half.hpp"
#include "reference/int4.hpp"

namespace assay::host {
namespace {

using reference::half_from_double;
using reference::half_to_double;

constexpr std::uint16_t kOne = 0x3C00;
constexpr unsigned kLargestFp4 = 7;
constexpr int kLargestInt4 = 15;
constexpr double kInt4Bound = 1 + 0x1p-6;
// The largest half s for which 6 s rounds to a finite half: 65472.
constexpr double kLargestFp4Scale = 10912.0;

/// The smallest half that is not below `value`, which is positive and at most 65504.
std::uint16_t half_at_least(double value) {
  const std::uint16_t half = half_from_double(value);
  return half_to_double(half) < value ? static_cast<std::uint16_t>(half + 1) : half;
}

/// The zero point with which unsigned codes under `scale` give every weight of the group exactly.
std::optional<unsigned> exact_zero(std::span<const double> group, double scale) {
  int low = 0, high = 0;
  bool first = true;
  for (const double weight : group) {
    const double steps = std::nearbyint(weight / scale);
    if (std::fabs(steps) > kLargestInt4 || reference::round_to_half(steps * scale) != weight) {
      return std::nullopt;
    }
    const int step = static_cast<int>(steps);
    low = first ? step : std::min(low, step);
    high = first ? step : std::max(high, step);
    first = false;
  }
  if (high - low > kLargestInt4) return std::nullopt;
  return static_cast<unsigned>(std::max(0, -low));
}

}  // namespace

std::vector<std::uint16_t> scales_between(double factor, double product) {
  // The scales in question span ulp(product) / factor, which is at most 4/3 of their own ulp where they are
  // normal, and at most 2 units of 2^-24 where they are not (factor 0.5): two to either side are enough.
  const int nearest = half_from_double(product / factor);
  std::vector<std::uint16_t> scales;
  for (const int distance : {0, -1, 1, -2, 2}) {
    const int bits = nearest + distance;
    if (bits < 1 || bits >= reference::kHalfInfinity) continue;
    const auto scale = static_cast<std::uint16_t>(bits);
    if (reference::round_to_half(factor * half_to_double(scale)) == product) scales.push_back(scale);
  }
  return scales;
}

GroupQuantizer::GroupQuantizer(std::uint16_t scale, unsigned zero, bool has_sign_bit)
    : scale_(scale), zero_(zero), has_sign_bit_(has_sign_bit) {
  const std::uint16_t zero_half = half_from_double(zero);
  for (unsigned code = 0; code < weights_.size(); ++code) {
    weights_[code] = half_to_double(
        has_sign_bit ? reference::fp4_weight(code, scale)
                     : reference::u4_weight(code, scale, zero_half, reference::Int4Chain::half_chain));
  }
}

GroupQuantizer GroupQuantizer::fp4(std::span<const double> group) {
  double largest = 0;
  for (const double weight : group) largest = std::max(largest, std::fabs(weight));
  if (largest == 0) return {kOne, 0, true};
  for (unsigned code = kLargestFp4; code > 0; --code) {
    for (const std::uint16_t scale : scales_between(reference::fp4_value(code), largest)) {
      const GroupQuantizer exact(scale, 0, true);
      if (exact.reproduces(group)) return exact;
    }
  }
  return {half_at_least(std::min(largest / 6, kLargestFp4Scale)), 0, true};
}

GroupQuantizer GroupQuantizer::int4(std::span<const double> group) {
  double low = 0, high = 0;
  for (const double weight : group) {
    low = std::min(low, weight);
    high = std::max(high, weight);
  }
  const double largest = std::max(-low, high);
  if (largest == 0) return {kOne, 0, false};
  for (int steps = kLargestInt4; steps > 0; --steps) {
    for (const std::uint16_t scale : scales_between(steps, largest)) {
      if (const auto zero = exact_zero(group, half_to_double(scale))) return {scale, *zero, false};
    }
  }
  for (std::uint16_t scale = half_at_least((high - low) / kLargestInt4);; ++scale) {
    const double zero = std::nearbyint(-low / half_to_double(scale));
    const GroupQuantizer fit(scale, static_cast<unsigned>(zero), false);
    if (fit.reaches(low) && fit.reaches(high)) return fit;
  }
}

unsigned GroupQuantizer::code_of(double weight) const {
  const unsigned begin = has_sign_bit_ && std::signbit(weight) ? 8 : 0;
  const unsigned end = has_sign_bit_ ? begin + 8 : 16;
  unsigned nearest = begin;
  double least = std::numeric_limits<double>::infinity();
  for (unsigned code = begin; code < end; ++code) {
    const double distance = std::fabs(weights_[code] - weight);
    if (distance < least || (distance == least && nearest % 2 != 0)) {
      nearest = code;
      least = distance;
    }
  }
  return nearest;
}

bool GroupQuantizer::reproduces(std::span<const double> group) const {
  return std::all_of(group.begin(), group.end(),
                     [this](double weight) { return weights_[code_of(weight)] == weight; });
}

bool GroupQuantizer::reaches(double weight) const {
  return std::fabs(weights_[code_of(weight)] - weight) <= kInt4Bound * half_to_double(scale_) / 2;
}

}  // namespace assay::host
