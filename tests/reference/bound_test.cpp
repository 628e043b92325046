#include "reference/bound.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "reference/gemm.hpp"
#include "reference/half.hpp"
#include "tests/half.hpp"

namespace assay::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ForwardErrorBound, GammaIsHighams) {
  EXPECT_DOUBLE_EQ(ForwardErrorBound(256, kFloatUnitRoundoff).gamma(), 0x1p-16 / (1 - 0x1p-16));
  EXPECT_DOUBLE_EQ(ForwardErrorBound(128, kHalfUnitRoundoff).gamma(), 0x1p-4 / (1 - 0x1p-4));
  EXPECT_EQ(ForwardErrorBound(1000, 0.0).gamma(), 0.0);
}

TEST(ForwardErrorBound, IsVoidFromAQuarterOnAndThenAcceptsNothing) {
  EXPECT_FALSE(ForwardErrorBound(511, kHalfUnitRoundoff).is_void());
  const ForwardErrorBound void_bound(512, kHalfUnitRoundoff);
  EXPECT_TRUE(void_bound.is_void());
  EXPECT_THROW(void_bound.gamma(), std::domain_error);
  EXPECT_THROW(void_bound.accept(0.0, 1.0), std::domain_error);
  EXPECT_TRUE(ForwardErrorBound(std::size_t{1} << 22, kFloatUnitRoundoff).is_void());
}

TEST(ForwardErrorBound, RefusesAUnitRoundoffThatIsNone) {
  EXPECT_THROW(ForwardErrorBound(8, -1.0), std::invalid_argument);
  EXPECT_THROW(ForwardErrorBound(8, std::nan("")), std::invalid_argument);
}

TEST(ForwardErrorBound, ExactSumsLeaveOneAnswer) {
  const ForwardErrorBound exact(64, 0.0);
  for (const double sum : {0.0, 1.0, 2049.0, -2051.0, 65519.0, 65520.0, 0x1p-25, 0x1.8p-24}) {
    const Interval accepted = exact.accept(sum, std::fabs(sum));
    EXPECT_EQ(accepted.low, round_to_half(sum));
    EXPECT_EQ(accepted.high, round_to_half(sum));
  }
}

TEST(ForwardErrorBound, CancellationWidensByTheMagnitudeNotTheSum) {
  const Interval accepted = ForwardErrorBound(256, kFloatUnitRoundoff).accept(0.0, 65536.0);
  EXPECT_EQ(accepted.low, -1.0);  // gamma * 65536 is just above 1
  EXPECT_EQ(accepted.high, 1.0);
}

TEST(ForwardErrorBound, OverflowAndInfinitiesAreAskedForBySign) {
  const ForwardErrorBound bound(64, kFloatUnitRoundoff);
  EXPECT_TRUE(bound.accept(1e6, 1e6).contains(kInfinity));
  EXPECT_FALSE(bound.accept(1e6, 1e6).contains(kHalfMax));
  const Interval at_the_edge = bound.accept(65520.0, 65520.0);  // may round to either side
  EXPECT_TRUE(at_the_edge.contains(kHalfMax));
  EXPECT_TRUE(at_the_edge.contains(kInfinity));
  EXPECT_TRUE(bound.accept(-kInfinity, kInfinity).contains(-kInfinity));
  EXPECT_FALSE(bound.accept(-kInfinity, kInfinity).contains(kInfinity));
  EXPECT_FALSE(bound.accept(-kInfinity, kInfinity).contains(-kHalfMax));
}

TEST(Interval, NanMatchesNanOnly) {
  const double nan = std::nan("");
  EXPECT_TRUE((Interval{nan, nan}).contains(nan));
  EXPECT_FALSE((Interval{nan, nan}).contains(0.0));
  EXPECT_FALSE((Interval{-1.0, 1.0}).contains(nan));
  EXPECT_FALSE((Interval{-kInfinity, kInfinity}).contains(nan));
  EXPECT_TRUE((Interval{0.0, 0.0}).contains(-0.0));
}

/// Sums in float32 (or half) in the order given, each product and sum rounded to the accumulator.
template <class Accumulator>
double accumulate(const std::vector<std::uint16_t>& A, const std::vector<std::uint16_t>& W,
                  const std::vector<std::size_t>& order) {
  Accumulator sum = 0;
  for (const std::size_t k : order) {
    const auto product = static_cast<Accumulator>(half_to_double(A[k]) * half_to_double(W[k]));
    sum = static_cast<Accumulator>(sum + product);
  }
  return round_to_half(static_cast<double>(sum));
}

// The bound must hold for every order, or a right kernel would be rejected.
RC_GTEST_PROP(ForwardErrorBoundProperty, AcceptsFloatAndHalfSumsInAnyOrder, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  const std::size_t K = 1 + random() % 200;
  std::vector<std::uint16_t> A(K), W(K);
  // Magnitudes in [1/8, 8): no accumulator over- or underflows, and signs make sums cancel.
  for (auto* matrix : {&A, &W}) {
    for (auto& half : *matrix)
      half = static_cast<std::uint16_t>((0x3000 + random() % 0x1800) | (random() % 2 << 15));
  }
  std::vector<std::size_t> order(K);
  for (std::size_t k = 0; k < K; ++k) order[k] = k;
  std::shuffle(order.begin(), order.end(), random);
  const GemmSums sums = gemm_sums(1, 1, K, A, W);
  RC_ASSERT(ForwardErrorBound(K, kFloatUnitRoundoff)
                .accept(sums.sum[0], sums.magnitude[0])
                .contains(accumulate<float>(A, W, order)));
  RC_ASSERT(ForwardErrorBound(K, kHalfUnitRoundoff)
                .accept(sums.sum[0], sums.magnitude[0])
                .contains(accumulate<Half>(A, W, order)));
}

// ... and must be tight enough that one product left out of a float sum shows.
TEST(ForwardErrorBound, RejectsASumThatLacksOneProduct) {
  const std::size_t K = 256;
  const std::vector<std::uint16_t> ones(K, 0x3C00);
  const GemmSums sums = gemm_sums(1, 1, K, ones, ones);
  const Interval accepted = ForwardErrorBound(K, kFloatUnitRoundoff).accept(sums.sum[0], sums.magnitude[0]);
  EXPECT_TRUE(accepted.contains(256.0));
  EXPECT_FALSE(accepted.contains(255.0));
}

}  // namespace
}  // namespace assay::reference
