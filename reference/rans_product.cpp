#include "reference/rans_product.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "reference/bound.hpp"
#include "reference/shape.hpp"

namespace assay::reference {
namespace {

static_assert(FLT_EVAL_METHOD == 0, "each float operation must round to float32");

constexpr int kSmallestExponent = -149, kSmallestNormalExponent = -126;
/// 0 is a multiple of anything; above every sum of two exponents of floats.
constexpr int kNoGranule = 4096;

/// The largest e for which a finite float is a multiple of 2^e.
int granule_exponent(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value) & 0x7FFFFFFFU;
  if (bits == 0) return kNoGranule;
  const std::uint32_t field = bits >> 23;
  const std::uint32_t significand = field == 0 ? bits : (bits & 0x7FFFFFU) | 0x800000U;
  return static_cast<int>(field == 0 ? 1 : field) - 150 + std::countr_zero(significand);
}

/// The least float that is not below, and the greatest that is not above.
float float_up(double value) {
  const auto nearest = static_cast<float>(value);
  return static_cast<double>(nearest) < value ? std::nextafter(nearest, HUGE_VALF) : nearest;
}
float float_down(double value) { return -float_up(-value); }

}  // namespace

RansWeights rans_weights(float scale, float zero_point) {
  RansWeights weights{};
  for (std::size_t s = 0; s < kRansSymbols; ++s) {
    const auto symbol = static_cast<float>(s);
    weights.contracted[s] = std::fma(symbol, scale, zero_point);
    // The product passes through memory, so that no compiler contracts it.
    const volatile float product = symbol * scale;
    weights.separate[s] = product + zero_point;
  }
  return weights;
}

RansWeights flushed_rans_weights(float scale, float zero_point) {
  const auto zeroed = [](float x) { return std::fabs(x) < FLT_MIN ? std::copysign(0.0F, x) : x; };
  RansWeights all = rans_weights(scale, zero_point);
  all.flushed = true;
  for (std::size_t s = 0; s < kRansSymbols; ++s) {
    float &low = all.contracted[s], &high = all.separate[s];
    if (high < low) std::swap(low, high);
    const auto may_be = [&](float weight) {
      for (const float one : {weight, zeroed(weight)}) {
        if (one >= low && one <= high) continue;
        if (std::isnan(one) && std::isnan(low)) continue;
        all.between = true;
        if (!(one >= low)) low = one;
        if (!(one <= high)) high = one;
      }
    };
    const auto symbol = static_cast<float>(s);
    for (const float by : {scale, zeroed(scale)}) {
      const volatile float product = symbol * by;
      for (const float zero : {zero_point, zeroed(zero_point)}) {
        may_be(std::fma(symbol, by, zero));
        may_be(product + zero);
        may_be(zeroed(product) + zero);
      }
    }
  }
  return all;
}

RansSums rans_sums(std::size_t batch, std::size_t M, std::size_t N, std::span<const std::uint8_t> symbols,
                   const RansWeights& weights, std::span<const float> x) {
  check_positive("batch", batch);
  check_positive("M", M);
  check_positive("N", N);
  check_elements("symbols", symbols.size(), M, N, "M x N");
  check_elements("x", x.size(), batch, N, "batch x N");
  std::array<int, kRansSymbols> weight_granules{};
  for (std::size_t s = 0; s < kRansSymbols; ++s) {
    weight_granules[s] =
        std::min(granule_exponent(weights.contracted[s]), granule_exponent(weights.separate[s]));
  }
  std::vector<int> x_granules(x.size());
  std::transform(x.begin(), x.end(), x_granules.begin(), granule_exponent);

  const std::size_t elements = checked_product("y", batch, M);
  RansSums sums{std::vector<double>(elements), std::vector<double>(elements), std::vector<double>(elements),
                std::vector<bool>(elements)};
  if (weights.flushed) sums.underflow = 2.0 * static_cast<double>(FLT_MIN);  // a product's and a sum's
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t m = 0; m < M; ++m) {
      double low = 0, high = 0, magnitude = 0;
      int granule = kNoGranule;
      for (std::size_t n = 0; n < N; ++n) {
        const std::size_t symbol = symbols[m * N + n];
        const auto factor = static_cast<double>(x[b * N + n]);
        const double one = static_cast<double>(weights.contracted[symbol]) * factor;  // 48 bits: exact
        const double other = static_cast<double>(weights.separate[symbol]) * factor;
        // Where something is not finite, low is the one form's sum and high the other's: equal, or in doubt.
        const bool finite = std::isfinite(one) && std::isfinite(other);
        const bool or_nothing = weights.flushed && std::fpclassify(x[b * N + n]) == FP_SUBNORMAL;
        low += finite ? std::min({one, other, or_nothing ? 0.0 : one}) : one;
        high += finite       ? std::max({one, other, or_nothing ? 0.0 : one})
                : or_nothing ? std::numeric_limits<double>::quiet_NaN()
                             : other;
        magnitude += std::max(std::fabs(one), std::fabs(other));
        granule = std::min(granule, weight_granules[symbol] + x_granules[b * N + n]);
      }
      const std::size_t i = b * M + m;
      sums.low[i] = low;
      sums.high[i] = high;
      sums.magnitude[i] = magnitude;
      // Every partial sum is then a count of granules that a float holds.
      sums.exact[i] = granule >= (weights.flushed ? kSmallestNormalExponent : kSmallestExponent) &&
                      !weights.between &&
                      magnitude <= std::ldexp(1.0 / kFloatUnitRoundoff, std::min(granule, 100));
    }
  }
  return sums;
}

RansInterval rans_interval(const RansSums& sums, std::size_t index, std::size_t N) {
  const double low = sums.low[index], high = sums.high[index], magnitude = sums.magnitude[index];
  if (sums.exact[index]) return {static_cast<float>(low), static_cast<float>(high)};
  if (std::isnan(low) || std::isnan(high)) {
    if (std::isnan(low) && std::isnan(high)) return {NAN, NAN};
    throw std::domain_error("whether a sum is NaN hangs on the rounding of a weight");
  }
  if (std::isinf(low) || std::isinf(high)) {
    if (low == high) return {static_cast<float>(low), static_cast<float>(high)};
    throw std::domain_error("whether a sum is infinite hangs on the rounding of a weight");
  }
  // A double sum carries N roundings of 2^-53 magnitude at most; twice that covers those of this bound too.
  const double count = static_cast<double>(N);
  const double acc = (ForwardErrorBound(N, kFloatUnitRoundoff).gamma() + count * 0x1p-52) * magnitude +
                     count * sums.underflow;
  if (magnitude + acc > static_cast<double>(FLT_MAX)) {
    throw std::domain_error("sum|w x| = " + std::to_string(magnitude) + " may overflow on the way");
  }
  return {float_up(low - acc), float_down(high + acc)};
}

}  // namespace assay::reference
