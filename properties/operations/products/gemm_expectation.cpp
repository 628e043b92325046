#include "properties/operations/products/gemm_expectation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "properties/cases/operation.hpp"
#include "reference/bound.hpp"
#include "reference/gemm.hpp"
#include "reference/half.hpp"

namespace assay::properties {
namespace {

/// Above every sum of two exponents of halves: a product with 0 is a multiple of anything.
constexpr std::int16_t kNoGranule = 4096;

/// The largest e for which a half is a multiple of 2^e. NaN and infinity do not limit it: their sums are
/// judged by themselves.
std::int16_t granule_exponent(std::uint16_t half) {
  const unsigned magnitude = half & 0x7FFFU;
  if (magnitude == 0 || !reference::half_is_finite(half)) return kNoGranule;
  const unsigned field = magnitude >> 10;
  const unsigned significand = field == 0 ? magnitude : (magnitude & 0x3FF) | 0x400;
  const int exponent = static_cast<int>(field == 0 ? 1 : field) - 25;
  return static_cast<std::int16_t>(exponent + std::countr_zero(significand));
}

std::vector<std::int16_t> granule_exponents(std::span<const std::uint16_t> halves) {
  std::vector<std::int16_t> exponents(halves.size());
  std::transform(halves.begin(), halves.end(), exponents.begin(), granule_exponent);
  return exponents;
}

/// [M, N]: the largest e for which every product a[m,k] * w[k,n] is a multiple of 2^e; at least kNoGranule
/// where all of them are 0.
std::vector<std::int16_t> product_granules(std::size_t M, std::size_t N, std::size_t K,
                                           std::span<const std::uint16_t> A,
                                           std::span<const std::uint16_t> W) {
  const std::vector<std::int16_t> of_a = granule_exponents(A), of_w = granule_exponents(W);
  std::vector<std::int16_t> granules(M * N, kNoGranule);
  for (std::size_t m = 0; m < M; ++m) {
    std::int16_t* const row = granules.data() + m * N;
    for (std::size_t k = 0; k < K; ++k) {
      const std::int16_t a = of_a[m * K + k];
      if (a == kNoGranule) continue;
      const std::int16_t* const w = of_w.data() + k * N;
      for (std::size_t n = 0; n < N; ++n) row[n] = std::min(row[n], static_cast<std::int16_t>(a + w[n]));
    }
  }
  return granules;
}

/// Every sum, in every order, is exact in an accumulator of this unit roundoff.
bool sums_exactly(double magnitude, int granule, double unit) {
  if (!std::isfinite(magnitude)) return false;
  return granule >= kNoGranule || magnitude <= std::ldexp(1.0 / unit, granule);
}

}  // namespace

Expectation expect_product(std::string_view tensor, std::size_t M, std::size_t N, std::size_t K,
                           std::span<const std::uint16_t> A, std::span<const std::uint16_t> W,
                           const Arithmetic& arithmetic) {
  reference::GemmSums sums = reference::gemm_sums(M, N, K, A, W);
  const std::vector<std::int16_t> granules = product_granules(M, N, K, A, W);
  const double unit = unit_roundoff(arithmetic.accumulate);
  const bool half_sums = arithmetic.accumulate == Precision::half_precision;
  const reference::ForwardErrorBound exact(K, 0.0), bound(K, unit);
  // Underflow of a half accumulator, written as more magnitude: accept() multiplies by gamma.
  const double underflow =
      half_sums && !bound.is_void() ? static_cast<double>(K) * 0x1p-25 * (1.0 + 1.0 / bound.gamma()) : 0.0;

  Expectation expected;
  expected.tensor = tensor;
  expected.low.resize(M * N);
  expected.high.resize(M * N);
  std::size_t exact_elements = 0;
  for (std::size_t i = 0; i < M * N; ++i) {
    const double sum = sums.sum[i], magnitude = sums.magnitude[i];
    const bool is_exact = sums_exactly(magnitude, granules[i], unit);
    if (!is_exact && bound.is_void()) {
      throw Unjudgeable(fmt::format("K={}: K u is not below 1/4 in a {} accumulator, its error bound is void",
                                    K, name_of(arithmetic.accumulate)));
    }
    if (half_sums && std::isfinite(sum) && magnitude > reference::kHalfMax) {
      throw Unjudgeable(fmt::format("sum|a w| = {} may overflow a half accumulator on the way", magnitude));
    }
    const reference::Interval right =
        is_exact ? exact.accept(sum, magnitude) : bound.accept(sum, magnitude + underflow);
    expected.low[i] = right.low;
    expected.high[i] = right.high;
    exact_elements += is_exact ? 1 : 0;
  }
  expected.value = std::move(sums.sum);
  expected.bound =
      exact_elements == M * N
          ? "exact: every order of summation gives the same sum"
          : fmt::format("forward error bound K u / (1 - K u) * sum|a w|, u = {}, rounded to half",
                        half_sums ? "2^-11" : "2^-24");
  return expected;
}

Expectation expect_halves(std::string_view tensor, std::span<const std::uint16_t> halves) {
  Expectation expected;
  expected.tensor = tensor;
  expected.value.reserve(halves.size());
  for (const std::uint16_t half : halves) expected.value.push_back(reference::half_to_double(half));
  expected.low = expected.value;
  expected.high = expected.value;
  expected.signed_zero = true;
  expected.bound = "bit for bit";
  return expected;
}

}  // namespace assay::properties
