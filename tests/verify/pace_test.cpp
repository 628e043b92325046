// What a person who watches a run is told of its speed and its end.
#include "harness/verify/pace.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Pace, TimesAreAsExactAsAPersonNeeds) {
  EXPECT_EQ(time_text(0), "0 s");
  EXPECT_EQ(time_text(6.2), "7 s");
  EXPECT_EQ(time_text(200), "3 min 20 s");
  EXPECT_EQ(time_text(1795), "30 min");
  EXPECT_EQ(time_text(2 * 3600 + 300), "2 h 5 min");
  EXPECT_EQ(time_text(3599), "1 h 0 min");
}

TEST(Pace, RatesHaveSeparators) {
  EXPECT_EQ(rate_text(3, 8), "0.4 a second");
  EXPECT_EQ(rate_text(624, 2), "312 a second");
  EXPECT_EQ(rate_text(120400, 100), "1,204 a second");
  EXPECT_EQ(rate_text(5, 0), "0.0 a second");
  EXPECT_EQ(rate_text(9.94, 1), "9.9 a second");
  EXPECT_EQ(rate_text(9.97, 1), "10 a second") << "it was 10.0, beside 10 and 11";
}

TEST(Pace, SaysNothingOfTheEndBeforeItCanTell) {
  EXPECT_EQ(left_text(0.5, 10), ", about 10 s left");
  EXPECT_EQ(left_text(0.25, 100), ", about 5 min 0 s left");
  EXPECT_EQ(left_text(0.001, 100), "");
  EXPECT_EQ(left_text(0.5, 0.1), "");
  EXPECT_EQ(left_text(1, 100), "");
}

}  // namespace
}  // namespace assay
