// Values by counter: the same on every machine and from every place.
#include "properties/cases/draw.hpp"

#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

#include "reference/half.hpp"

namespace assay::properties {
namespace {

using reference::half_to_double;

TEST(Draw, PhiloxGivesItsPublishedAnswer) {
  // Known-answer vector of Random123 for philox4x32-10, counter and key all ones.
  const r123::Philox4x32::ctr_type counter = {{0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}};
  const auto drawn = r123::Philox4x32{}(counter, {{0xFFFFFFFF, 0xFFFFFFFF}});
  const std::vector<std::uint32_t> published = {0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD};
  EXPECT_EQ(std::vector<std::uint32_t>(drawn.begin(), drawn.end()), published);
}

// Whole vectors and what is left over; from places whose lower half overflows into the upper one.
TEST(Draw, FirstWordsOfARowAreThoseOfItsElements) {
  for (const std::uint64_t begin : {0ULL, 1ULL, 0xFFFFFFF9ULL, 0xFFFFFFFFFFFFFFF0ULL}) {
    for (std::size_t count = 0; count < 40; ++count) {
      const Draw draw(0x123456789ABCDEF0, "row");
      std::vector<std::uint32_t> first(count + 1, 0xA5A5A5A5);
      draw.first_words(begin, std::span(first).first(count));
      for (std::size_t i = 0; i < count; ++i)
        EXPECT_EQ(first[i], draw.words(begin + i)[0]) << begin << " + " << i;
      EXPECT_EQ(first[count], 0xA5A5A5A5) << count;
    }
  }
}

TEST(Draw, SeedStreamAndIndexAllMatter) {
  std::set<Words> drawn;
  for (const std::uint64_t seed : {0ULL, 1ULL, 1ULL << 32}) {
    for (const char* stream : {"A", "B", "scales"}) {
      for (const std::uint64_t index : {0ULL, 1ULL, 1ULL << 32})
        drawn.insert(Draw(seed, stream).words(index));
    }
  }
  EXPECT_EQ(drawn.size(), 27U);
}

TEST(Draw, HalvesKeepTheirRangeAndReachItsEnds) {
  const Draw draw(3, "halves");
  double least = 1e9, most = 0;
  std::set<double> powers, integers;
  bool subnormal = false;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const double ordinary = std::abs(half_to_double(ordinary_half(-4, 1, draw.words(i))));
    least = std::min(least, ordinary);
    most = std::max(most, ordinary);
    powers.insert(half_to_double(power_of_two_half(-16, 2, draw.words(i))));
    integers.insert(half_to_double(integer_half(2, draw.words(i))));
    const std::uint16_t bounded = bounded_half(0x7BFF, draw.words(i));
    EXPECT_TRUE(reference::half_is_finite(bounded));
    subnormal |= (bounded & 0x7C00) == 0 && (bounded & 0x3FF) != 0;
  }
  EXPECT_GE(least, 0x1p-4);
  EXPECT_LT(least, 0x1.02p-4);
  EXPECT_LT(most, 4.0);
  EXPECT_GT(most, 3.98);
  EXPECT_EQ(powers.size(), 2U * 19U);
  EXPECT_TRUE(powers.contains(0x1p-16) && powers.contains(-4.0));
  EXPECT_EQ(integers, (std::set<double>{-2, -1, 0, 1, 2}));
  EXPECT_TRUE(subnormal);
}

TEST(Draw, BelowCoversEveryValueAlike) {
  const Draw draw(5, "below");
  std::array<int, 7> counts{};
  for (std::uint64_t i = 0; i < 7000; ++i) ++counts[below(7, draw.words(i)[0])];
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(between(-3, 3, 0), -3);
  EXPECT_EQ(between(-3, 3, 0xFFFFFFFF), 3);
}

}  // namespace
}  // namespace assay::properties
