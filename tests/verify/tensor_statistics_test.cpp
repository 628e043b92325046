// Each statistic of tensors whose answers are known.
#include "harness/verify/tensor_statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace assay {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class T>
Tensor tensor(DType dtype, const std::vector<T>& values) {
  Tensor made = make_tensor("T", dtype, {values.size()});
  std::copy(values.begin(), values.end(), made.as<T>().begin());
  return made;
}

MATCHER_P2(IsValue, value, count, "") {
  return arg.low == value && arg.count == static_cast<std::uint64_t>(count);
}

void expect_special(const TensorStatistics& found) {
  EXPECT_EQ(found.elements, 10U);
  EXPECT_EQ(found.nan, 2U);
  EXPECT_EQ(found.infinity, 1U);
  EXPECT_EQ(found.minus_infinity, 1U);
  EXPECT_EQ(found.zero, 1U);
  EXPECT_EQ(found.minus_zero, 2U);
  EXPECT_EQ(found.subnormal, 1U);
  EXPECT_EQ(found.finite, 6U);
  EXPECT_EQ(found.least, -2);
  EXPECT_EQ(found.largest, 1);
  EXPECT_EQ(found.distinct, 6U);  // NaN is none, both zeros are one
  EXPECT_FALSE(found.more_distinct);
}

TEST(TensorStatistics, CountSpecialValuesOfFloats) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  expect_special(statistics_of(tensor<float>(
      DType::f32, {std::nanf(""), -std::nanf(""), kInfinity, -kInfinity, 0.0F, -0.0F, -0.0F, tiny, 1, -2})));
}

TEST(TensorStatistics, CountSpecialValuesOfHalves) {
  expect_special(statistics_of(tensor<std::uint16_t>(
      DType::f16, {0x7E00, 0xFC01, 0x7C00, 0xFC00, 0x0000, 0x8000, 0x8000, 0x03FF, 0x3C00, 0xC000})));
}

// 0x1p-126 is the least normal float, and a subnormal of nothing else.
TEST(TensorStatistics, KnowWhichNumbersAreSubnormalInTheirType) {
  EXPECT_EQ(statistics_of(tensor<float>(DType::f32, {0x1p-126F, 0x1p-127F, -0x1p-140F})).subnormal, 2U);
  EXPECT_EQ(statistics_of(tensor<double>(DType::f64, {0x1p-126, 0x1p-1022, -0x1p-1023})).subnormal, 1U);
  EXPECT_EQ(statistics_of(tensor<std::uint16_t>(DType::f16, {0x0400, 0x03FF, 0x8001})).subnormal, 2U);
  EXPECT_EQ(statistics_of(tensor<std::uint32_t>(DType::u32, {0, 1, 2})).subnormal, 0U);
}

TEST(TensorStatistics, FewDifferentValuesAreListedWithTheirCounts) {
  EXPECT_THAT(statistics_of(tensor<float>(DType::f32, {1, -1, 0.0F, -0.0F, 1, kInfinity})).values,
              testing::ElementsAre(IsValue(-1, 1), IsValue(0, 2), IsValue(1, 2), IsValue(kInfinity, 1)));
  std::vector<std::uint8_t> bytes(17);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
  const auto many = statistics_of(tensor(DType::u8, bytes));
  EXPECT_TRUE(many.values.empty());
  EXPECT_EQ(many.distinct, 17U);
  EXPECT_EQ(many.bins.size(), 9U);  // two of them in each
}

TEST(TensorStatistics, CountDifferentValuesUpToALimit) {
  std::vector<std::uint32_t> words(TensorStatistics::kMostDistinct);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(i);
  const auto just = statistics_of(tensor(DType::u32, words));
  EXPECT_EQ(just.distinct, TensorStatistics::kMostDistinct);
  EXPECT_FALSE(just.more_distinct);
  words.push_back(7);
  EXPECT_FALSE(statistics_of(tensor(DType::u32, words)).more_distinct);
  words.push_back(1U << 31);
  EXPECT_TRUE(statistics_of(tensor(DType::u32, words)).more_distinct);
}

TEST(TensorStatistics, DoNotDependOnThePiecesTheyComeIn) {
  for (const DType dtype : {DType::u8, DType::f16, DType::f32, DType::f64}) {
    constexpr std::size_t kElements = std::size_t{1}
                                      << 17;  // patterns are counted of so many, values of a piece
    Tensor whole = make_tensor("T", dtype, {kElements});
    for (std::size_t i = 0; i < whole.data.size(); ++i)
      whole.data[i] = static_cast<std::byte>(i * i * 2654435761U >> 11);
    StatisticsGatherer pieces(dtype);
    for (std::size_t at = 0; at < whole.data.size(); at += 64)
      pieces.add(std::span(whole.data).subspan(at, 64));
    const auto one = statistics_of(whole), other = pieces.statistics();
    EXPECT_EQ(one.elements, kElements);
    EXPECT_EQ(one.elements, other.elements);
    EXPECT_EQ(one.distinct, other.distinct);
    EXPECT_EQ(one.least, other.least);
    EXPECT_EQ(one.largest, other.largest);
    EXPECT_EQ(one.nan, other.nan);
    EXPECT_EQ(one.subnormal, other.subnormal);
    ASSERT_EQ(one.bins.size(), other.bins.size());
    for (std::size_t i = 0; i < one.bins.size(); ++i) EXPECT_EQ(one.bins[i].count, other.bins[i].count);
  }
}

TEST(TensorStatistics, OfNoElements) {
  const auto found = statistics_of(make_tensor("T", DType::f32, {0, 4}));
  EXPECT_EQ(found.elements, 0U);
  EXPECT_TRUE(found.values.empty());
  EXPECT_TRUE(found.bins.empty());
}

}  // namespace
}  // namespace assay
