// y = x W^T with rANS weights: which float32 results are right.
#include "reference/rans_product.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>

#include "tests/reference/independent_vectors.hpp"

namespace assay::reference {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

bool contains(const RansInterval& right, float value) {
  return std::isnan(right.low) ? std::isnan(value) : right.low <= value && value <= right.high;
}

TEST(RansProduct, TheTwoFormsOfAWeightDifferWhereTheProductRounds) {
  const RansWeights exact = rans_weights(0.25F, -3.0F);
  EXPECT_EQ(exact.contracted, exact.separate);
  EXPECT_EQ(exact.contracted[15], 0.75F);
  const RansWeights rounded = rans_weights(0.1F, -0.3F);
  EXPECT_NE(rounded.contracted, rounded.separate);
}

TEST(RansProduct, AgreesWithIndependentVectors) {
  for (const auto& path : tests::independent_vectors("rans_")) {
    SCOPED_TRACE(path);
    const golden::Dataset vectors = golden::read_safetensors(path);
    const std::size_t M = tests::parameter(vectors, "M"), N = tests::parameter(vectors, "N");
    const auto symbols = tests::elements<std::uint8_t>(vectors, "symbols", DType::u8);
    const auto scale_zero = tests::floats(vectors, "scale_zero");
    const RansWeights weights = rans_weights(scale_zero[0], scale_zero[1]);
    const auto expect_sums = [&](std::size_t batch, const char* x, const char* y) {
      const RansSums sums = rans_sums(batch, M, N, symbols, weights, tests::floats(vectors, x));
      const auto exact = tests::doubles(vectors, y);
      ASSERT_EQ(exact.size(), sums.low.size());
      for (std::size_t i = 0; i < exact.size(); ++i) {
        const double rounding = 0x1p-52 * static_cast<double>(N) * sums.magnitude[i];
        ASSERT_GE(exact[i], sums.low[i] - rounding) << i;
        ASSERT_LE(exact[i], sums.high[i] + rounding) << i;
        ASSERT_TRUE(contains(rans_interval(sums, i, N), static_cast<float>(exact[i]))) << i;
      }
    };
    expect_sums(1, "input", "output_exact");
    expect_sums(5, "batch_input", "batch_output_exact");
    const RansSums sums = rans_sums(1, M, N, symbols, weights, tests::floats(vectors, "input"));
    const auto magnitudes = tests::doubles(vectors, "output_magnitude");
    for (std::size_t i = 0; i < magnitudes.size(); ++i) {
      EXPECT_NEAR(sums.magnitude[i], magnitudes[i], 1e-6 * magnitudes[i]);
    }
  }
}

/// A row of W, an x, and sums of them as kernels may take them.
struct Row {
  std::vector<std::uint8_t> symbols;
  std::vector<float> x;
  float scale, zero_point;

  RansSums sums() const { return rans_sums(1, 1, x.size(), symbols, rans_weights(scale, zero_point), x); }

  float computed(const std::vector<std::size_t>& order, bool contract_weight, bool contract_sum) const {
    const RansWeights weights = rans_weights(scale, zero_point);
    float sum = 0;
    for (const std::size_t n : order) {
      const float w = contract_weight ? weights.contracted[symbols[n]] : weights.separate[symbols[n]];
      const volatile float product = w * x[n];
      sum = contract_sum ? std::fma(w, x[n], sum) : sum + product;
    }
    return sum;
  }
};

Row draw_row(std::mt19937& random, std::size_t N) {
  std::normal_distribution<float> normal;
  Row row{std::vector<std::uint8_t>(N), std::vector<float>(N), normal(random), normal(random)};
  for (auto& symbol : row.symbols) symbol = static_cast<std::uint8_t>(random() % 16);
  for (auto& x : row.x) x = normal(random);
  return row;
}

RC_GTEST_PROP(RansProductProperty, EveryOrderAndContractionIsRight,
              (std::uint32_t seed, bool weight, bool sum)) {
  std::mt19937 random(seed);
  const Row row = draw_row(random, 1 + random() % 300);
  std::vector<std::size_t> order(row.x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  RC_ASSERT(contains(rans_interval(row.sums(), 0, row.x.size()), row.computed(order, weight, sum)));
}

// The bound is of some use: of 300 symbols a single one that is the next one shows, where it weighs more than
// the interval is wide (and that is narrow: a 1,000th of the sum of magnitudes).
RC_GTEST_PROP(RansProductProperty, OneOtherSymbolIsWrong, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  Row row = draw_row(random, 300);
  const RansInterval right = rans_interval(row.sums(), 0, 300);
  std::vector<std::size_t> order(300);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t n = random() % 300;
  row.symbols[n] = static_cast<std::uint8_t>((row.symbols[n] + 1) % 16);
  RC_ASSERT(right.high - right.low < 1e-3 * row.sums().magnitude[0]);
  RC_PRE(std::fabs(row.x[n] * row.scale) > 1.1F * (right.high - right.low));
  RC_ASSERT(!contains(right, row.computed(order, true, true)));
}

TEST(RansProduct, IntegersAreExactUpToWhatAFloatHolds) {
  Row row{{15, 15}, {4.0F, -3.0F}, 2.0F, 1.0F};
  EXPECT_TRUE(row.sums().exact[0]);
  EXPECT_EQ(rans_interval(row.sums(), 0, 2).low, 31.0F);
  EXPECT_EQ(rans_interval(row.sums(), 0, 2).high, 31.0F);
  row.x = {16777216.0F, 1.0F};
  EXPECT_FALSE(row.sums().exact[0]);
}

TEST(RansProduct, NotFiniteIsAskedForAndVoidBoundsAreSaid) {
  Row row{{0, 2}, {kInfinity, 1.0F}, 1.0F, 0.0F};
  EXPECT_TRUE(std::isnan(rans_interval(row.sums(), 0, 2).low));  // 0 * infinity
  row.symbols[0] = 1;
  EXPECT_EQ(rans_interval(row.sums(), 0, 2).high, kInfinity);
  EXPECT_EQ(rans_interval(row.sums(), 0, 2).low, kInfinity);
  row = {{1, 1}, {3e38F, 3e38F}, 1.0F, 0.1F};
  EXPECT_THROW(rans_interval(row.sums(), 0, 2), std::domain_error);
  row = {{1, 1}, {1.0F, 1.0F}, 0.3F, 0.1F};
  EXPECT_THROW(rans_interval(row.sums(), 0, std::size_t{1} << 22), std::domain_error);
  // symbol * scale + zero_point is 0 in one form and not in the other.
  row = {{3}, {kInfinity}, 0.1F, -(0.1F * 3.0F)};
  EXPECT_THROW(rans_interval(row.sums(), 0, 1), std::domain_error);
}

}  // namespace
}  // namespace assay::reference
