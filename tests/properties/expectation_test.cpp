// What is right for a product, against brute force: all orders of summation of tiny cases.
#include "properties/operations/products/gemm_expectation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "properties/cases/draw.hpp"
#include "tests/properties/support.hpp"

namespace assay::properties {
namespace {

using reference::half_from_double;
using reference::half_to_double;
using Halves = std::vector<std::uint16_t>;

Halves halves(std::initializer_list<double> values) {
  Halves bits;
  for (const double value : values) bits.push_back(half_from_double(value));
  return bits;
}

/// Every sum that a row times a column can give in an accumulator, over all orders.
template <class Round>
std::vector<double> all_sums(const Halves& a, const Halves& w, Round round) {
  std::vector<std::size_t> order(a.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> sums;
  do {
    double separate = 0.0, fused = 0.0;
    for (const std::size_t k : order) {
      const double product = half_to_double(a[k]) * half_to_double(w[k]);
      separate = round(separate + round(product));
      fused = round(fused + product);
    }
    sums.push_back(separate);
    sums.push_back(fused);
  } while (std::next_permutation(order.begin(), order.end()));
  return sums;
}

double to_float(double x) { return static_cast<float>(x); }

Halves draw_halves(std::uint64_t seed, const char* stream, std::size_t count, int low, int high) {
  const Draw draw(seed, stream);
  Halves drawn;
  for (std::size_t i = 0; i < count; ++i) drawn.push_back(ordinary_half(low, high, draw.words(i)));
  return drawn;
}

RC_GTEST_PROP(ProductExpectation, AcceptsEveryOrderOfFloatSums, (std::uint64_t seed)) {
  const std::size_t K = *rc::gen::inRange<std::size_t>(1, 6);
  const Halves a = draw_halves(seed, "a", K, -8, 6), w = draw_halves(seed, "w", K, -8, 6);
  const Expectation expected = expect_product("C", 1, 1, K, a, w, {});
  for (const double sum : all_sums(a, w, to_float))
    RC_ASSERT(testing::accepts(expected, 0, half_from_double(sum)));
  // Two halves at most: the bound of float sums is far below an ulp of half unless terms cancel.
  const double distance = expected.high[0] - expected.low[0];
  const double magnitude =
      std::inner_product(a.begin(), a.end(), w.begin(), 0.0, std::plus<>(),
                         [](auto x, auto y) { return std::fabs(half_to_double(x) * half_to_double(y)); });
  RC_ASSERT(distance <= std::fabs(expected.value[0]) * 0x1p-9 + magnitude * 0x1p-18 + 0x1p-23);
}

RC_GTEST_PROP(ProductExpectation, AcceptsEveryOrderOfHalfSums, (std::uint64_t seed)) {
  const std::size_t K = *rc::gen::inRange<std::size_t>(1, 6);
  const bool underflow = *rc::gen::arbitrary<bool>();  // products around the smallest subnormal
  const Halves a = underflow ? draw_halves(seed, "a", K, -14, -12) : draw_halves(seed, "a", K, -6, 5);
  const Halves w = underflow ? draw_halves(seed, "w", K, -12, -8) : draw_halves(seed, "w", K, -2, 2);
  const Expectation expected =
      expect_product("C", 1, 1, K, a, w, {Precision::half_precision, Precision::half_precision});
  for (const double sum : all_sums(a, w, reference::round_to_half)) {
    RC_ASSERT(testing::accepts(expected, 0, half_from_double(sum)));
  }
}

// Their bits are few, but lie below those of any half.
TEST(ProductExpectation, PowersOfTwoThatUnderflowInAHalfAreNotExact) {
  const Halves a(3, half_from_double(0x1p-13)), w(3, half_from_double(0x1p-12));
  const Expectation floats = expect_product("C", 1, 1, 3, a, w, {}),
                    half_sums = expect_product("C", 1, 1, 3, a, w, {.accumulate = Precision::half_precision});
  EXPECT_EQ(floats.low, floats.high);
  EXPECT_TRUE(testing::accepts(half_sums, 0, half_from_double(0.0)))
      << "each product is half of the least half";
  EXPECT_TRUE(testing::accepts(half_sums, 0, half_from_double(3 * 0x1p-25)));
}

// Slices that are rounded to half before they are added up in floats, also where they underflow.
RC_GTEST_PROP(ProductExpectation, AcceptsSumsOfSlicesInHalf, (std::uint64_t seed)) {
  const std::size_t K = *rc::gen::inRange<std::size_t>(1, 9), slices = *rc::gen::inRange<std::size_t>(2, 5);
  const bool underflow = *rc::gen::arbitrary<bool>();
  const Halves a = underflow ? draw_halves(seed, "a", K, -14, -12) : draw_halves(seed, "a", K, -6, 5);
  const Halves w = underflow ? draw_halves(seed, "w", K, -12, -8) : draw_halves(seed, "w", K, -2, 2);
  const Expectation expected = expect_product("C", 1, 1, K, a, w, {}, {.half_slices = slices});
  const std::size_t each = (K + slices - 1) / slices;
  float sum = 0;
  for (std::size_t begin = 0; begin < K; begin += each) {
    float slice = 0;
    for (std::size_t k = begin; k < std::min(begin + each, K); ++k)
      slice += static_cast<float>(half_to_double(a[k]) * half_to_double(w[k]));
    sum += static_cast<float>(reference::round_to_half(static_cast<double>(slice)));
  }
  RC_ASSERT(testing::accepts(expected, 0, half_from_double(static_cast<double>(sum))));
}

TEST(ProductExpectation, SlicesInHalfAreExactWhereHalvesHoldEverySum) {
  const Expectation exact =
      expect_product("C", 1, 1, 3, halves({1, 2, 3}), halves({4, 5, 6}), {}, {.half_slices = 2});
  EXPECT_EQ(exact.low, exact.high);
  const Halves a = halves({2047, 2, 1}), w = halves({1, 1, 1});
  const Expectation floats = expect_product("C", 1, 1, 3, a, w, {}),
                    slices = expect_product("C", 1, 1, 3, a, w, {}, {.half_slices = 2});
  EXPECT_EQ(floats.low, floats.high);
  EXPECT_LT(slices.low, slices.high) << "2047 + 2 is no half";
  EXPECT_THROW(expect_product("C", 1, 1, 2, halves({60000, 60000}), halves({1, 1}), {}, {.half_slices = 2}),
               Unjudgeable);
}

// a (v s) and (a v) s in halves, in sums of one product and more: a compiler that may regroup takes either.
RC_GTEST_PROP(ProductExpectation, AcceptsRegroupedProductsOfHalfSums, (std::uint64_t seed)) {
  const std::size_t K = *rc::gen::inRange<std::size_t>(1, 5);
  const Halves a = draw_halves(seed, "a", K, -4, 1), v = draw_halves(seed, "v", K, -1, 2),
               s = draw_halves(seed, "s", K, -6, -2);
  const auto round = [](double x) { return reference::round_to_half(x); };
  Halves w;
  double regrouped = 0;
  for (std::size_t k = 0; k < K; ++k) {
    const double vs = round(half_to_double(v[k]) * half_to_double(s[k]));
    w.push_back(half_from_double(vs));
    regrouped =
        round(regrouped + round(round(half_to_double(a[k]) * half_to_double(v[k])) * half_to_double(s[k])));
  }
  const Arithmetic arithmetic{
      .dequantize = Precision::half_precision, .accumulate = Precision::half_precision, .regrouped = true};
  const Expectation expected = expect_product("C", 1, 1, K, a, w, arithmetic);
  RC_ASSERT(testing::accepts(expected, 0, half_from_double(regrouped)));
  for (const double sum : all_sums(a, w, reference::round_to_half))
    RC_ASSERT(testing::accepts(expected, 0, half_from_double(sum)));
}

TEST(ProductExpectation, RegroupingLeavesWhatItCannotChange) {
  const Arithmetic arithmetic{
      .dequantize = Precision::half_precision, .accumulate = Precision::half_precision, .regrouped = true};
  const Expectation shown = expect_product("C", 1, 1, 2, halves({0, 1}), halves({3.7, 0.3}), arithmetic);
  EXPECT_EQ(shown.low[0], shown.high[0]) << "a row that is a unit vector shows a weight, bit for bit";
  const Expectation one = expect_product("C", 1, 1, 1, halves({1.37}), halves({0.29}), arithmetic);
  EXPECT_LT(one.low[0], one.high[0]);
  EXPECT_LT(one.high[0] - one.low[0], 0x1p-8 * 0.4) << "a few last places, no more";
  const Expectation floats = expect_product("C", 1, 1, 1, halves({1.37}), halves({0.29}), {});
  EXPECT_EQ(floats.low, floats.high) << "a weight is rounded to half before a float sum takes it";
}

RC_GTEST_PROP(ProductExpectation, ExactElementsAreTheSameInEveryOrder, (std::uint64_t seed)) {
  const std::size_t K = *rc::gen::inRange<std::size_t>(1, 6);
  const Draw draw(seed, "exact");
  Halves a, w;
  for (std::size_t k = 0; k < K; ++k) {
    a.push_back(integer_half(2048, draw.words(2 * k)));
    w.push_back(integer_half(2048, draw.words(2 * k + 1)));
  }
  const Expectation expected = expect_product("C", 1, 1, K, a, w, {});
  const std::vector<double> sums = all_sums(a, w, to_float);
  const bool agree = std::all_of(sums.begin(), sums.end(), [&](double sum) { return sum == sums[0]; });
  if (expected.bound.starts_with("exact")) {
    RC_ASSERT(agree);
    RC_ASSERT(expected.low[0] == expected.high[0]);
    RC_ASSERT(sums[0] == expected.value[0]);
  }
}

TEST(ProductExpectation, KnowsExactSumsUpToTheLastBitOfTheAccumulator) {
  // 2048 * 2048 = 2^22: four of them are 2^24 units, a fifth is beyond what float32 holds exactly with units
  // of 1.
  const auto judged = [](const Halves& a, const Halves& w) {
    return expect_product("C", 1, 1, a.size(), a, w, {}).bound;
  };
  EXPECT_TRUE(judged(halves({2048, 2048, 2048, 2047, 1}), halves({2048, 2048, 2048, 2048, 2048}))
                  .starts_with("exact"));
  EXPECT_FALSE(
      judged(halves({2048, 2048, 2048, 2048, 1}), halves({2048, 2048, 2048, 2048, 1})).starts_with("exact"));
  EXPECT_TRUE(judged(halves({0, 0}), halves({1, 3})).starts_with("exact"));
}

TEST(ProductExpectation, UnitVectorsGiveTheWeightWhateverElseTheColumnHolds) {
  const Halves w = {0x0001, 0x7BFF, 0x83FF};
  for (std::size_t k = 0; k < 3; ++k) {
    Halves a(3, 0);
    a[k] = 0x3C00;
    const Expectation expected = expect_product("C", 1, 1, 3, a, w, {});
    EXPECT_EQ(expected.low[0], half_to_double(w[k]));
    EXPECT_EQ(expected.high[0], half_to_double(w[k]));
  }
}

TEST(ProductExpectation, NanAndInfinityAreAskedForAsTheyAre) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Halves w = halves({inf, nan, -inf, 1, 1, inf});
  const Expectation expected = expect_product("C", 1, 3, 2, halves({1, 1}), w, {});
  EXPECT_FALSE(testing::accepts(expected, 0, half_from_double(0.0)));
  EXPECT_TRUE(testing::accepts(expected, 0, half_from_double(inf)));
  EXPECT_FALSE(testing::accepts(expected, 0, half_from_double(-inf)));
  EXPECT_TRUE(testing::accepts(expected, 1, half_from_double(nan)));
  EXPECT_FALSE(testing::accepts(expected, 1, half_from_double(inf)));
  EXPECT_TRUE(std::isnan(expect_product("C", 1, 1, 2, halves({1, 1}), halves({inf, -inf}), {}).low[0]));
  EXPECT_TRUE(std::isnan(expect_product("C", 1, 1, 2, halves({1, 0}), halves({1, inf}), {}).low[0]));
}

TEST(ProductExpectation, OverflowOfTheResultIsInfinity) {
  const Expectation expected = expect_product("C", 1, 1, 2, halves({65504, 65504}), halves({1, 1}), {});
  EXPECT_EQ(expected.low[0], std::numeric_limits<double>::infinity());
}

TEST(ProductExpectation, RefusesToJudgeByAVoidBound) {
  const Arithmetic half_sums = {Precision::half_precision, Precision::half_precision};
  const std::size_t K = 512;
  const Halves a = draw_halves(1, "a", K, -4, -2), w = draw_halves(1, "w", K, -4, -2);
  EXPECT_THAT([&] { expect_product("C", 1, 1, K, a, w, half_sums); },
              ::testing::ThrowsMessage<Unjudgeable>(::testing::HasSubstr("K=512")));
  EXPECT_NO_THROW(expect_product("C", 1, 1, K, a, w, {}));
  const Halves ones(K, 0x3C00);  // exact in half, so K does not matter
  EXPECT_EQ(expect_product("C", 1, 1, K, ones, ones, half_sums).low[0], 512.0);
  const Halves large = halves({60000, 60000}), signs = halves({1, -1});
  EXPECT_THROW(expect_product("C", 1, 1, 2, large, signs, half_sums), Unjudgeable);
}

TEST(HalvesExpectation, TellsZerosApart) {
  const Expectation expected = expect_halves("W", Halves{0x8000, 0x7E00});
  EXPECT_FALSE(testing::accepts(expected, 0, 0x0000));
  EXPECT_TRUE(testing::accepts(expected, 0, 0x8000));
  EXPECT_TRUE(testing::accepts(expected, 1, 0xFE01));
  EXPECT_FALSE(testing::accepts(expected, 1, 0x7C00));
}

}  // namespace
}  // namespace assay::properties
