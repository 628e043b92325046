// Bounds from rows, columns and single products must not change what the granules of all products say.
#include "properties/operations/products/exact_products.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "reference/gemm.hpp"
#include "reference/half.hpp"

namespace assay::properties {
namespace {

/// By definition: sum|a w| <= 2^e / u for the largest e for which all products that are not 0 are multiples
/// of 2^e.
bool exact_by_definition(std::size_t m, std::size_t n, std::size_t N, std::size_t K,
                         const std::vector<std::uint16_t>& A, const std::vector<std::uint16_t>& W,
                         double magnitude, double unit) {
  std::uint64_t least = 0;  // a power of two in units of 2^-48, none: 0
  for (std::size_t k = 0; k < K; ++k) {
    const auto a = static_cast<std::uint64_t>(std::abs(reference::half_to_units(A[m * K + k])));
    const auto w = static_cast<std::uint64_t>(std::abs(reference::half_to_units(W[k * N + n])));
    if (a == 0 || w == 0) continue;
    const std::uint64_t own = std::uint64_t{1} << (std::countr_zero(a) + std::countr_zero(w));
    least = least == 0 ? own : std::min(least, own);
  }
  return least == 0 || magnitude <= static_cast<double>(least) * 0x1p-48 / unit;
}

RC_GTEST_PROP(ExactProducts, AreThoseOfTheDefinition, ()) {
  const auto M = *rc::gen::inRange<std::size_t>(1, 5), N = *rc::gen::inRange<std::size_t>(1, 70);
  const auto K = *rc::gen::inRange<std::size_t>(1, 12);
  const auto unit = *rc::gen::element(0x1p-24, 0x1p-11);
  // Zeroes, so that few terms are left; integers; and halves with all their bits, now and then.
  const auto rare = *rc::gen::element(2, 12, 40);
  const auto half = rc::gen::map(rc::gen::pair(rc::gen::inRange(0, rare), rc::gen::inRange(0, 0x7C00)),
                                 [](const std::pair<int, int>& drawn) {
                                   if (drawn.first == 0) return static_cast<std::uint16_t>(drawn.second);
                                   if (drawn.first % 3 == 0) return std::uint16_t{0x8000};
                                   return reference::half_from_double(drawn.first % 5 - 2);
                                 });
  const auto A = *rc::gen::container<std::vector<std::uint16_t>>(M * K, half);
  const auto W = *rc::gen::container<std::vector<std::uint16_t>>(K * N, half);
  const auto sums = reference::gemm_sums(M, N, K, A, W);
  const ExactProducts products(M, N, K, A, W);
  for (std::size_t m = 0; m < M; ++m) {
    const auto magnitudes = std::span(sums.magnitude).subspan(m * N, N);
    const auto exact = products.of_row(m, magnitudes, unit);
    for (std::size_t n = 0; n < N; ++n)
      RC_ASSERT(exact[n] == exact_by_definition(m, n, N, K, A, W, magnitudes[n], unit));
  }
}

TEST(ExactProducts, NothingIsExactWithNanOrInfinity) {
  const std::vector<std::uint16_t> A = {0x3C00, 0x7C00, 0x3C00, 0x3C00}, W = {0x3C00, 0x3C00};
  const auto sums = reference::gemm_sums(2, 1, 2, A, W);
  const ExactProducts products(2, 1, 2, A, W);
  EXPECT_EQ(products.of_row(0, std::span(sums.magnitude).subspan(0, 1), 0x1p-24), std::vector<bool>{false});
  EXPECT_EQ(products.of_row(1, std::span(sums.magnitude).subspan(1, 1), 0x1p-24), std::vector<bool>{true});
}

}  // namespace
}  // namespace assay::properties
