#include "properties/operations/products/gemm_expectation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "properties/blas/exact_sums.hpp"
#include "properties/cases/operation.hpp"
#include "properties/operations/products/exact_products.hpp"
#include "properties/operations/products/flushed_terms.hpp"
#include "reference/bound.hpp"
#include "reference/half.hpp"

namespace assay::properties {
namespace {

bool is_plain(std::uint16_t half) { return (half & 0x7FFFU) == 0 || (half & 0x7FFFU) == 0x3C00U; }

/// What a half accumulator may do to a term beyond its sums, where the factors of products may be regrouped:
/// a (v s) becomes (a v) s, which has the weight's rounding elsewhere.
class Regrouping {
 public:
  Regrouping(std::size_t M, std::size_t N, std::size_t K, std::span<const std::uint16_t> A,
             std::span<const std::uint16_t> W)
      : plain_row_(M, 1), plain_column_(N, 1), row_(M, 0) {
    for (std::size_t i = 0; i < M * K; ++i) {
      if (!is_plain(A[i])) plain_row_[i / K] = 0;
      row_[i / K] += std::fabs(reference::half_to_double(A[i]));
    }
    for (std::size_t i = 0; i < K * N; ++i) {
      if (!is_plain(W[i])) plain_column_[i % N] = 0;
    }
  }

  /// Factors of 0 and 1 leave a product what it is, however it is grouped.
  bool changes(std::size_t row, std::size_t column) const {
    return plain_row_[row] == 0 && plain_column_[column] == 0;
  }
  /// sum|a| of a row: what the underflow of its weights is multiplied by.
  double magnitude(std::size_t row) const { return row_[row]; }

 private:
  std::vector<char> plain_row_, plain_column_;
  std::vector<double> row_;
};

/// 2^-14, below which halves are subnormal, and how often 2^-25, what a product loses that is not flushed,
/// goes into that.
constexpr int kSmallestNormal = -14;
constexpr double kFlushedAsUnderflows = 0x1p11;

/// Roundings of a term that regrouping moves: that of its weight, undone and done elsewhere.
constexpr std::size_t kRegroupedRoundings = 2;

/// 2^-24, the least half: what is no multiple of it underflows in one.
constexpr int kSmallestHalf = -24;

/// What is said of halves that must be so bit for bit.
void describe_halves(Expectation& expected) {
  expected.signed_zero = true;
  expected.bound = "bit for bit";
}

}  // namespace

Expectation expect_product(std::string_view tensor, std::size_t M, std::size_t N, std::size_t K,
                           std::span<const std::uint16_t> A, std::span<const std::uint16_t> W,
                           const Arithmetic& arithmetic, const ProductTerms& terms) {
  reference::GemmSums sums = blas::exact_sums(M, N, K, A, W);
  const ExactProducts exact_products(M, N, K, A, W);
  const double unit = unit_roundoff(arithmetic.accumulate);
  const std::size_t half_slices = terms.half_slices;
  const bool half_sums = arithmetic.accumulate == Precision::half_precision;
  const bool underflowing = half_sums || half_slices > 0;
  const bool regrouped = half_sums && arithmetic.regrouped;
  std::optional<Regrouping> regrouping;
  if (regrouped) regrouping.emplace(M, N, K, A, W);
  std::optional<FlushedTerms> flushed;
  if (arithmetic.flushed) flushed.emplace(M, N, K, A, W, terms.choices);
  const reference::ForwardErrorBound exact(K, 0.0),
      bound(K + (regrouped ? kRegroupedRoundings : 0), unit,
            half_slices > 0 ? reference::kHalfUnitRoundoff : 0.0);
  // Underflow of halves, written as more magnitude: accept() multiplies by gamma.
  const double as_magnitude = underflowing && !bound.is_void() ? 0x1p-25 * (1.0 + 1.0 / bound.gamma()) : 0.0;

  Expectation expected;
  expected.tensor = tensor;
  expected.low.resize(M * N);
  expected.high.resize(M * N);
  std::size_t exact_elements = 0;
  std::vector<bool> row;
  for (std::size_t i = 0; i < M * N; ++i) {
    if (i % N == 0)
      row = exact_products.of_row(i / N, std::span(sums.magnitude).subspan(i, N),
                                  half_slices > 0 ? reference::kHalfUnitRoundoff : unit);
    const FlushedTerms::Change change = flushed ? flushed->at(i) : FlushedTerms::Change();
    if (change.any) {
      expected.low[i] = -std::numeric_limits<double>::infinity();
      expected.high[i] = std::numeric_limits<double>::infinity();
      continue;
    }
    const double sum = sums.sum[i], magnitude = sums.magnitude[i] + change.magnitude;
    // Products and sums in half that may themselves be subnormal.
    const bool flushes =
        flushed && underflowing && !exact_products.are_multiples(i / N, i % N, kSmallestNormal);
    const bool is_exact = row[i % N] && !(regrouped && regrouping->changes(i / N, i % N)) &&
                          change.or_nothing && !flushes &&
                          (!underflowing || exact_products.are_multiples(i / N, i % N, kSmallestHalf));
    if (!is_exact && bound.is_void()) {
      throw Unjudgeable(fmt::format("K={}: K u is not below 1/4 in a {} accumulator, its error bound is void",
                                    K, name_of(arithmetic.accumulate)));
    }
    if (underflowing && std::isfinite(sum) && magnitude > reference::kHalfMax) {
      throw Unjudgeable(fmt::format("sum|a w| = {} may overflow a half on the way", magnitude));
    }
    // Each product underflows once, of halves; regrouped, twice, and its weight may not have.
    const auto products = static_cast<double>(half_sums ? K : 0);
    const double underflows = static_cast<double>(half_slices) +
                              (regrouped ? 2 * products + regrouping->magnitude(i / N) : products);
    const double lost =
        flushes ? (2 * products + 2 * static_cast<double>(half_slices)) * kFlushedAsUnderflows : underflows;
    const auto accept = [&](double of) {
      return is_exact ? exact.accept(of, magnitude) : bound.accept(of, magnitude + lost * as_magnitude);
    };
    expected.low[i] = accept(sum - change.down).low;
    expected.high[i] = accept(sum + change.up).high;
    exact_elements += is_exact ? 1 : 0;
  }
  expected.value = std::move(sums.sum);
  const std::string u = fmt::format("{} u{}", regrouped ? "(K + 2)" : "K", half_slices > 0 ? " + 2^-11" : "");
  expected.bound =
      exact_elements == M * N
          ? "exact: every order of summation gives the same sum"
          : fmt::format("forward error bound {0} / (1 - {1}) * sum|a w|, u = {2}, rounded to half",
                        half_slices > 0 ? "(" + u + ")" : u, half_slices > 0 ? "(" + u + ")" : u,
                        half_sums ? "2^-11" : "2^-24");
  return expected;
}

Expectation expect_halves(std::string_view tensor, std::span<const std::uint16_t> halves,
                          std::span<const WeightChoice> choices) {
  Expectation expected;
  expected.tensor = tensor;
  expected.value.reserve(halves.size());
  for (const std::uint16_t half : halves) expected.value.push_back(reference::half_to_double(half));
  expected.low = expected.value;
  expected.high = expected.value;
  widen(choices, expected);
  describe_halves(expected);
  return expected;
}

std::vector<ExactOutput> exact_halves(const std::string& tensor, const Problem& problem,
                                      std::span<const std::uint16_t> halves) {
  const auto output = std::find_if(problem.outputs.begin(), problem.outputs.end(),
                                   [&](const OutputSpec& one) { return one.name == tensor; });
  ExactOutput exact;
  exact.expected.tensor = tensor;
  exact.tensor = assay::make_tensor(tensor, DType::f16, output->shape);
  describe_halves(exact.expected);
  std::transform(
      halves.begin(), halves.end(), exact.tensor.as<std::uint16_t>().begin(),
      [](std::uint16_t half) { return (half & 0x7FFFU) > 0x7C00U ? std::uint16_t{0x7E00} : half; });
  std::vector<ExactOutput> outputs;
  outputs.push_back(std::move(exact));
  return outputs;
}

}  // namespace assay::properties
