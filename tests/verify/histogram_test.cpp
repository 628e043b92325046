// Histograms whose range grows as numbers come: what they count does not depend on the order.
#include "harness/verify/histogram.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace assay {
namespace {

constexpr int kAny = -1074;

std::vector<Bin> bins_of(const std::vector<double>& numbers, int least_exponent = kAny) {
  Histogram histogram(least_exponent);
  for (const double one : numbers) histogram.add(one);
  return histogram.bins();
}

MATCHER_P3(IsBin, low, high, count, "") {
  return arg.low == low && arg.high == high && arg.count == static_cast<std::uint64_t>(count);
}

TEST(Histogram, OfNothingAndOfOneNumber) {
  EXPECT_TRUE(bins_of({}).empty());
  EXPECT_THAT(bins_of({3.5, 3.5}), testing::ElementsAre(IsBin(3.5, 3.5, 2)));
}

// -1 to 1 takes widths of 1/4 or more: with 1/8 the last number would lie in bin 17.
TEST(Histogram, BinsAreAsNarrowAsSixteenOfThemAllow) {
  EXPECT_THAT(bins_of({-1, 1, 0.25, 0.3}),
              testing::ElementsAre(IsBin(-1, -0.75, 1), IsBin(-0.75, -0.5, 0), IsBin(-0.5, -0.25, 0),
                                   IsBin(-0.25, 0, 0), IsBin(0, 0.25, 0), IsBin(0.25, 0.5, 2),
                                   IsBin(0.5, 0.75, 0), IsBin(0.75, 1, 0), IsBin(1, 1.25, 1)));
}

TEST(Histogram, OfIntegersHasNoBinThatIsNarrowerThanOne) {
  EXPECT_THAT(bins_of({7, 5, 5}, 0), testing::ElementsAre(IsBin(5, 6, 2), IsBin(6, 7, 0), IsBin(7, 8, 1)));
}

TEST(Histogram, TakesTheLargestAndTheSmallestNumbersThereAre) {
  const double largest = std::numeric_limits<double>::max();
  const double least = std::numeric_limits<double>::denorm_min();
  const auto wide = bins_of({least, -least, 0, largest, -largest});
  EXPECT_EQ(std::accumulate(wide.begin(), wide.end(), std::uint64_t{0},
                            [](std::uint64_t sum, const Bin& one) { return sum + one.count; }),
            5U);
  EXPECT_EQ(bins_of({least, 0}).size(), 2U);
}

RC_GTEST_PROP(Histogram, CountsEachNumberInItsBinWhateverTheOrder, ()) {
  auto numbers = *rc::gen::container<std::vector<double>>(
      rc::gen::map(rc::gen::pair(rc::gen::inRange(-4096, 4096), rc::gen::inRange(-30, 30)),
                   [](const auto& one) { return std::ldexp(static_cast<double>(one.first), one.second); }));
  const auto bins = bins_of(numbers);
  RC_ASSERT(bins.size() <= Histogram::kMostBins);
  const std::vector<double> distinct = [&] {
    auto sorted = numbers;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    return sorted;
  }();
  if (distinct.size() > 1) RC_ASSERT(bins.size() > Histogram::kMostBins / 2 - 1);
  for (const Bin& bin : bins) {
    const auto inside = std::count_if(numbers.begin(), numbers.end(), [&](double one) {
      return bin.low == bin.high ? one == bin.low : bin.low <= one && one < bin.high;
    });
    RC_ASSERT(static_cast<std::uint64_t>(inside) == bin.count);
  }
  const auto count = std::accumulate(bins.begin(), bins.end(), std::size_t{0},
                                     [](std::size_t sum, const Bin& one) { return sum + one.count; });
  RC_ASSERT(count == numbers.size());
  std::reverse(numbers.begin(), numbers.end());
  const auto reversed = bins_of(numbers);
  RC_ASSERT(std::equal(
      bins.begin(), bins.end(), reversed.begin(), reversed.end(),
      [](const Bin& a, const Bin& b) { return a.low == b.low && a.high == b.high && a.count == b.count; }));
}

}  // namespace
}  // namespace assay
