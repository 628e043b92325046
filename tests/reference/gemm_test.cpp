#include "reference/gemm.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "reference/half.hpp"
#include "tests/reference/independent_vectors.hpp"

namespace assay::reference {
namespace {

// C_exact and C_magnitude were themselves summed in float64, in an unknown order: they may be off by
// gamma_K(2^-53) * sum|a w| = K 2^-53 / (1 - K 2^-53) * sum|a w|, and gemm_sums' one rounding adds at most
// 2^-53 * sum|a w|. (K + 2) 2^-53 covers both for K < 2^26. The products are exact in float64.
double float64_sum_tolerance(std::size_t K, double magnitude) {
  return (static_cast<double>(K) + 2) * 0x1p-53 * magnitude;
}

void expect_sums_of_independent_vectors(const std::string& prefix) {
  for (const auto& path : tests::independent_vectors(prefix)) {
    SCOPED_TRACE(path);
    const golden::Dataset vectors = golden::read_safetensors(path);
    const std::size_t M = tests::parameter(vectors, "M"), N = tests::parameter(vectors, "N"),
                      K = tests::parameter(vectors, "K");
    const GemmSums sums = gemm_sums(M, N, K, tests::halves(vectors, "A"), tests::halves(vectors, "weights"));
    const auto exact = tests::doubles(vectors, "C_exact");
    const auto magnitude = tests::doubles(vectors, "C_magnitude");
    ASSERT_EQ(sums.sum.size(), exact.size());
    ASSERT_EQ(sums.magnitude.size(), magnitude.size());
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const double tolerance = float64_sum_tolerance(K, sums.magnitude[i]);
      // Written so that a NaN fails.
      ASSERT_TRUE(std::fabs(sums.sum[i] - exact[i]) <= tolerance)
          << i << ": " << sums.sum[i] << " - " << exact[i] << " = " << sums.sum[i] - exact[i];
      ASSERT_TRUE(std::fabs(sums.magnitude[i] - magnitude[i]) <= tolerance) << i;
    }
  }
}

TEST(GemmSums, AgreeWithIndependentFp4Vectors) { expect_sums_of_independent_vectors("gemm_fp4_"); }
TEST(GemmSums, AgreeWithIndependentU4Vectors) { expect_sums_of_independent_vectors("gemm_u4_"); }
TEST(GemmSums, AgreeWithIndependentS4Vectors) { expect_sums_of_independent_vectors("gemm_s4_"); }
TEST(GemmSums, AgreeWithIndependentTrellisVectors) { expect_sums_of_independent_vectors("gemm_trellis"); }

__extension__ typedef __int128 Int128;

/// The sum of one element by definition, in units of 2^-48.
Int128 units_of_sum(std::size_t N, std::size_t K, std::span<const std::uint16_t> A,
                    std::span<const std::uint16_t> W, std::size_t m, std::size_t n, bool absolute) {
  Int128 total = 0;
  for (std::size_t k = 0; k < K; ++k) {
    const Int128 product = static_cast<Int128>(half_to_units(A[m * K + k])) * half_to_units(W[k * N + n]);
    total += absolute && product < 0 ? -product : product;
  }
  return total;
}

// Two ranges: small numbers take the 64-bit sums, all finite halves the 128-bit ones.
RC_GTEST_PROP(GemmSumsProperty, AreTheDefinitionForAnyShapeAndAnyFiniteHalves, ()) {
  const auto M = *rc::gen::inRange<std::size_t>(1, 6);
  const auto N = *rc::gen::inRange<std::size_t>(1, 20);  // across the width of a panel
  const auto K = *rc::gen::inRange<std::size_t>(1, 20);
  const auto largest = *rc::gen::element<std::uint16_t>(0x0007, 0x3C00, 0x7BFF);
  const auto half =
      rc::gen::map(rc::gen::pair(rc::gen::inRange<std::uint16_t>(0, largest + 1), rc::gen::arbitrary<bool>()),
                   [](const std::pair<std::uint16_t, bool>& drawn) {
                     return static_cast<std::uint16_t>(drawn.first | (drawn.second ? 0x8000 : 0));
                   });
  const auto A = *rc::gen::container<std::vector<std::uint16_t>>(M * K, half);
  const auto W = *rc::gen::container<std::vector<std::uint16_t>>(K * N, half);
  const GemmSums sums = gemm_sums(M, N, K, A, W);
  for (std::size_t m = 0; m < M; ++m) {
    for (std::size_t n = 0; n < N; ++n) {
      RC_ASSERT(sums.sum[m * N + n] == static_cast<double>(units_of_sum(N, K, A, W, m, n, false)) * 0x1p-48);
      RC_ASSERT(sums.magnitude[m * N + n] ==
                static_cast<double>(units_of_sum(N, K, A, W, m, n, true)) * 0x1p-48);
    }
  }
}

TEST(GemmSums, CancellationThatDoublesWouldLoseIsExact) {
  // 65504^2 + 2^-48 - 65504^2: the small product lies 80 bits below the large ones.
  const std::vector<std::uint16_t> A = {0x7BFF, 0x0001, 0x7BFF}, W = {0x7BFF, 0x0001, 0xFBFF};
  const GemmSums sums = gemm_sums(1, 1, 3, A, W);
  EXPECT_EQ(sums.sum[0], 0x1p-48);
  EXPECT_EQ(sums.magnitude[0], 2 * 65504.0 * 65504.0);
}

TEST(GemmSums, WorstCaseMagnitudeOfALongSumDoesNotOverflow) {
  const std::size_t K = 70000;
  std::vector<std::uint16_t> A(K, 0x7BFF);
  std::vector<std::uint16_t> W(K, 0xFBFF);
  A[0] = W[0] = 0x0001;  // keeps the common unit at 2^-24
  const double expected = 65504.0 * 65504.0 * static_cast<double>(K - 1);
  const GemmSums sums = gemm_sums(1, 1, K, A, W);
  EXPECT_EQ(sums.sum[0], -expected);
  EXPECT_EQ(sums.magnitude[0], expected);
}

TEST(GemmSums, AllZerosGivePositiveZero) {
  const GemmSums sums =
      gemm_sums(1, 1, 2, std::vector<std::uint16_t>{0x8000, 0}, std::vector<std::uint16_t>{0, 0});
  EXPECT_EQ(sums.sum[0], 0.0);
  EXPECT_FALSE(std::signbit(sums.sum[0]));
}

TEST(GemmSums, NanAndInfinityFollowIeeeAndStayInTheirRowsAndColumns) {
  constexpr std::uint16_t one = 0x3C00, minus_one = 0xBC00, infinity = 0x7C00, nan = 0x7E00;
  const double inf = std::numeric_limits<double>::infinity();
  //                                    k = 0      1
  const std::vector<std::uint16_t> A = {one,      one,       //
                                        infinity, one,       //
                                        infinity, infinity,  //
                                        nan,      one};
  //                                    n = 0  1          2
  const std::vector<std::uint16_t> W = {one, minus_one, 0,  //
                                        one, one,       one};
  const GemmSums sums = gemm_sums(4, 3, 2, A, W);
  const double undefined = std::nan("");
  const double expected[12] = {2,         0,         1,          //
                               inf,       -inf,      undefined,  // 0 * infinity
                               inf,       undefined, undefined,  // infinity - infinity
                               undefined, undefined, undefined};
  for (std::size_t i = 0; i < 12; ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(sums.sum[i])) << i;
    } else {
      EXPECT_EQ(sums.sum[i], expected[i]) << i;
    }
  }
  EXPECT_EQ(sums.magnitude[4], inf);
  EXPECT_EQ(sums.magnitude[0], 2.0);
}

TEST(GemmSums, InfinityInWReachesItsColumnOnly) {
  const std::vector<std::uint16_t> A = {0x3C00}, W = {0x3C00, 0xFC00, 0x3C00};
  const GemmSums sums = gemm_sums(1, 3, 1, A, W);
  EXPECT_EQ(sums.sum, (std::vector<double>{1, -std::numeric_limits<double>::infinity(), 1}));
}

TEST(GemmSums, RefusesSizesThatDoNotFollow) {
  const std::vector<std::uint16_t> four(4, 0);
  EXPECT_THROW(gemm_sums(0, 2, 2, {}, four), std::invalid_argument);
  EXPECT_THROW(gemm_sums(2, 0, 2, four, {}), std::invalid_argument);
  EXPECT_THROW(gemm_sums(2, 2, 0, {}, {}), std::invalid_argument);
  EXPECT_THROW(gemm_sums(2, 2, 3, four, four), std::invalid_argument);
  EXPECT_THROW(gemm_sums(2, 3, 2, four, four), std::invalid_argument);
}

}  // namespace
}  // namespace assay::reference
