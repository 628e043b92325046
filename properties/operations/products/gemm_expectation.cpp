#include "properties/operations/products/gemm_expectation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "properties/blas/exact_sums.hpp"
#include "properties/cases/operation.hpp"
#include "properties/operations/products/exact_products.hpp"
#include "reference/bound.hpp"
#include "reference/half.hpp"

namespace assay::properties {

Expectation expect_product(std::string_view tensor, std::size_t M, std::size_t N, std::size_t K,
                           std::span<const std::uint16_t> A, std::span<const std::uint16_t> W,
                           const Arithmetic& arithmetic) {
  reference::GemmSums sums = blas::exact_sums(M, N, K, A, W);
  const ExactProducts exact_products(M, N, K, A, W);
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
  std::vector<bool> row;
  for (std::size_t i = 0; i < M * N; ++i) {
    if (i % N == 0) row = exact_products.of_row(i / N, std::span(sums.magnitude).subspan(i, N), unit);
    const double sum = sums.sum[i], magnitude = sums.magnitude[i];
    const bool is_exact = row[i % N];
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
