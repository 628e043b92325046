// Levels fitted to counted values: Lloyd's iteration never makes them worse, whatever the values.
#include "golden/model/value_counts.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "properties/cases/model_values.hpp"

namespace assay::golden {
namespace {

std::vector<Counted> some_values() {
  ValueCounts counts;
  for (const int value :
       *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-300, 301)))) {
    const int times = *rc::gen::inRange(1, 5);
    for (int i = 0; i < times; ++i) counts.add(static_cast<float>(value) / 16);
  }
  return counts.ascending();
}

ValueCounts bell_values(std::uint64_t count) {
  const properties::Draw draw(5, "bell");
  ValueCounts counts;
  for (std::uint64_t i = 0; i < count; ++i) counts.add(static_cast<float>(properties::bell(draw.words(i))));
  return counts;
}

RC_GTEST_PROP(Lloyd, NoRoundMakesTheErrorWorse, ()) {
  const auto values = some_values();
  std::vector<double> levels(*rc::gen::inRange<std::size_t>(1, 17));
  for (double& one : levels) one = *rc::gen::inRange(-400, 401) / 16.0;
  std::sort(levels.begin(), levels.end());
  double before = squared_distance(values, levels);
  for (int round = 0; round < 20; ++round) {
    lloyd_round(values, levels);
    RC_ASSERT(std::is_sorted(levels.begin(), levels.end()));
    const double now = squared_distance(values, levels);
    RC_ASSERT(now <= before * (1 + 1e-12) + 1e-12);
    before = now;
  }
}

RC_GTEST_PROP(Lloyd, AsManyLevelsAsValuesLeaveNoError, ()) {
  ValueCounts counts;
  const auto distinct = *rc::gen::inRange<int>(1, 5);
  const auto times = *rc::gen::inRange<int>(1, 9);
  for (int i = 0; i < distinct * times; ++i) counts.add(static_cast<float>(i % distinct * 3 + 1));
  const auto levels = fit_levels(counts.ascending(), 16);
  RC_ASSERT(levels.size() == 16U);
  RC_ASSERT(squared_distance(counts.ascending(), levels) <= 1e-20);
}

// The least error for the normal distribution is known (Max, Quantizing for minimum distortion, IRE
// Transactions on Information Theory 6, 1960): with 4, 8 and 16 levels 11.75 %, 3.454 % and 0.9497 % of the
// variance are lost. These values have no tails, so that a little less is lost of them.
TEST(Lloyd, NearlyNormalValuesLoseALittleLessThanNormalOnes) {
  const auto values = bell_values(200'000).ascending();
  for (const auto& [count, lost] : {std::pair{4, 0.1175}, std::pair{8, 0.03454}, std::pair{16, 0.009497}}) {
    const auto levels = fit_levels(values, static_cast<std::size_t>(count));
    const double found = squared_distance(values, levels) / 200'000;
    EXPECT_LT(found, lost) << count;
    EXPECT_GT(found, 0.9 * lost) << count;
  }
}

TEST(Lloyd, WithoutValuesLevelsAreAtEqualDistances) {
  EXPECT_THAT(fit_levels({}, 4), testing::ElementsAre(-0.75, -0.25, 0.25, 0.75));
}

TEST(ValueCounts, Bf16ValuesAreCountedAsTheyAre) {
  ValueCounts counts;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto value = std::bit_cast<float>(bits << 16);
    if (std::isfinite(value)) counts.add(value);
  }
  const auto values = counts.ascending();
  ASSERT_EQ(values.size(), 2U * 0x7F80 - 1);
  EXPECT_TRUE(
      std::is_sorted(values.begin(), values.end(), [](auto& a, auto& b) { return a.value < b.value; }));
  for (const Counted& one : values) ASSERT_EQ(one.count, one.value == 0 ? 2U : 1U) << one.value;
}

RC_GTEST_PROP(ValueCounts, OthersAreWithinOnePartIn256, ()) {
  const auto exponent = *rc::gen::inRange<std::uint32_t>(1, 255),
             sign = *rc::gen::inRange<std::uint32_t>(0, 2);
  const auto fraction = *rc::gen::resize(100, rc::gen::inRange<std::uint32_t>(0, 1U << 23));
  const auto value = std::bit_cast<float>(sign << 31 | exponent << 23 | fraction);
  ValueCounts counts;
  counts.add(value);
  const auto found = counts.ascending();
  RC_ASSERT(found.size() == 1U);
  RC_ASSERT(std::fabs(found[0].value - static_cast<double>(value)) <=
            std::fabs(static_cast<double>(value)) / 256);
  RC_ASSERT(std::isfinite(found[0].value));
  RC_ASSERT(counts.lowest() == value && counts.highest() == value);
}

TEST(ValueCounts, PartsAddUp) {
  ValueCounts a, b, both;
  for (int i = 0; i < 100; ++i) {
    (i % 3 == 0 ? a : b).add(static_cast<float>(i - 50));
    both.add(static_cast<float>(i - 50));
  }
  a.add(b);
  EXPECT_EQ(a.lowest(), both.lowest());
  EXPECT_EQ(a.highest(), both.highest());
  const auto sum = a.ascending(), all = both.ascending();
  ASSERT_EQ(sum.size(), all.size());
  for (std::size_t i = 0; i < sum.size(); ++i) EXPECT_EQ(sum[i].count, all[i].count);
}

TEST(FitLine, FindsALineThatIsThere) {
  ValueCounts counts;
  for (int i = 0; i < 160; ++i) counts.add(0.25F * static_cast<float>(i % 16) - 1.5F);
  const Line line = fit_line(counts.ascending());
  EXPECT_NEAR(line.step, 0.25, 1e-12);
  EXPECT_NEAR(line.first, -1.5, 1e-12);
}

// Far outliers must not take the levels from all others: with a step for the outliers all of the rest is one
// symbol.
TEST(FitLine, OutliersAreCutOff) {
  ValueCounts counts = bell_values(100'000);
  counts.add(60.0F);
  counts.add(-60.0F);
  const Line line = fit_line(counts.ascending());
  EXPECT_GT(line.step, 0.25);
  EXPECT_LT(line.step, 0.45);
}

RC_GTEST_PROP(FitLine, IsNeverWorseThanTheLineThroughTheExtremes, ()) {
  const auto values = some_values();
  const double low = values.front().value, high = values.back().value;
  RC_PRE(low < high);
  const auto error = [&](const Line& line) {
    std::vector<double> levels(16);
    for (int s = 0; s < 16; ++s) levels[s] = s * line.step + line.first;
    return squared_distance(values, levels);
  };
  const Line line = fit_line(values);
  RC_ASSERT(line.step > 0);
  RC_ASSERT(error(line) <= error({(high - low) / 15, low}) * (1 + 1e-9) + 1e-12);
}

}  // namespace
}  // namespace assay::golden
