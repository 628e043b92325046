// Numbers that people write: what is one, and all that only looks like it.
#include "harness/verify/numbers.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace assay {
namespace {

TEST(Numbers, WholeOnesAreDigitsAndNothingElse) {
  EXPECT_EQ(whole_number_in("0"), 0U);
  EXPECT_EQ(whole_number_in("010"), 10U);
  EXPECT_EQ(whole_number_in("18446744073709551615"), ~std::uint64_t{0});
  for (const char* text : {"", " 5", "5 ", "-1", "+1", "0x10", "1e3", "1.0", "18446744073709551616", "1\n"}) {
    EXPECT_EQ(whole_number_in(text), std::nullopt) << text;
  }
}

TEST(Numbers, DecimalOnesHaveAPointAmongDigits) {
  EXPECT_EQ(decimal_in("0.001"), 0.001);
  EXPECT_EQ(decimal_in("007.50"), 7.5);
  for (const char* text : {"", ".5", "5.", "1.2.3", "-1", "+1", "1e5", "inf", "nan", "0x1", "1 ", "."}) {
    EXPECT_EQ(decimal_in(text), std::nullopt) << text;
  }
}

TEST(Numbers, DurationsMayHaveAUnit) {
  EXPECT_EQ(duration_in("90"), 90.0);
  EXPECT_EQ(duration_in("1.5s"), 1.5);
  EXPECT_EQ(duration_in("10m"), 600.0);
  EXPECT_EQ(duration_in("2h"), 7200.0);
  for (const char* text : {"", "s", "1d", "1ss", "1ms", "1hs", "1 m", "-1m", "1.m"}) {
    EXPECT_EQ(duration_in(text), std::nullopt) << text;
  }
}

TEST(Numbers, AreShownInGroupsOfThree) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1002003), "1,002,003");
}

// "0 byte" and "1 bytes" are wrong English.
TEST(Numbers, CountThingsInTheSingularAndThePlural) {
  EXPECT_EQ(counted(0, "byte"), "0 bytes");
  EXPECT_EQ(counted(1, "byte"), "1 byte");
  EXPECT_EQ(counted(2, "byte"), "2 bytes");
  EXPECT_EQ(counted(1024, "byte"), "1,024 bytes");
}

RC_GTEST_PROP(NumbersProperty, GroupsHoldTheDigitsOfTheNumber, (std::uint64_t number)) {
  auto text = grouped(number);
  std::erase(text, ',');
  RC_ASSERT(whole_number_in(text) == number);
}

}  // namespace
}  // namespace assay
