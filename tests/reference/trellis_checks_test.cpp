// What is said of trellis weights that a kernel would take without a word: shapes that are exchanged, grids
// and scales that are seldom meant.
#include "reference/trellis_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "tests/ordinary_trellis.hpp"

namespace assay::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StrEq;
using testing::ThrowsMessage;
using Ordinary = tests::OrdinaryTrellis;

TEST(TrellisShape, OfTheFileIsWhatSizesAndBitsAskFor) {
  EXPECT_NO_THROW(check_stored_shape(Ordinary().view(), {3, 5, 96}));
}

// Guards against a check of the number of bytes alone: 5 x 3 tiles have as many.
TEST(TrellisShape, CountsOfTilesThatAreExchangedAreNamed) {
  EXPECT_THAT(
      [] {
        check_stored_shape(Ordinary().view(), {5, 3, 96});
      },
      ThrowsMessage<std::invalid_argument>(
          StrEq("packed_indices: has 5 x 3 tiles of 96 bytes, must have 3 x 5 of 96 (ceil(K/16) x "
                "ceil(N/16), 32 bits): the counts of tiles are exchanged")));
}

TEST(TrellisShape, OtherThanExchangedIsNotCalledSo) {
  for (const TrellisShape& stored : {TrellisShape{15, 1, 96}, {3, 5, 64}, {5, 3, 128}, {2, 5, 96}}) {
    EXPECT_THAT([&] { check_stored_shape(Ordinary().view(), stored); },
                ThrowsMessage<std::invalid_argument>(testing::EndsWith("32 bits)")));
  }
}

TEST(TrellisWarnings, OfOrdinaryWeightsAreNone) {
  Ordinary weights;
  EXPECT_THAT(trellis_warnings(weights.view()), IsEmpty());
  weights.scales[7] = 0;        // a group that is pruned
  weights.scales[8] = -256.0F;  // 1,024 times the median, and no more
  weights.grid = {-1.0F, 0.5F};
  EXPECT_THAT(trellis_warnings(weights.view()), IsEmpty());
}

TEST(TrellisWarnings, OfAGridThatIsNotNormalised) {
  Ordinary weights;
  for (float& level : weights.grid) level *= 127;
  EXPECT_THAT(
      trellis_warnings(weights.view()),
      ElementsAre("grid: is not normalised: its largest magnitude is 127, that of normalised levels 1"));
  weights.grid = {0.0F, 0.5F};
  EXPECT_THAT(trellis_warnings(weights.view()), ElementsAre(HasSubstr("largest magnitude is 0.5")));
}

TEST(TrellisWarnings, OfScalesOutOfTheOrdinary) {
  Ordinary weights;
  weights.scales[5] = 300;
  EXPECT_THAT(trellis_warnings(weights.view()),
              ElementsAre("scales: element 5 is 300: 1200 times the median magnitude"));
  weights.scales[5] = 0.25F;
  weights.scales[6] = -1e-9F;
  weights.scales[9] = 2e-8F;
  EXPECT_THAT(trellis_warnings(weights.view()),
              ElementsAre("scales: element 6 is -1e-09: all of its weights are 0 as halves (and 1 more)"));
}

// 65520 is the least that a half cannot hold; all scales are that large, so that the median finds nothing.
TEST(TrellisWarnings, OfScalesThatMakeWeightsInfinite) {
  Ordinary weights;
  for (float& scale : weights.scales) scale = 65519.0F;
  EXPECT_THAT(trellis_warnings(weights.view()), IsEmpty());
  weights.scales[1] = -65520.0F;
  EXPECT_THAT(
      trellis_warnings(weights.view()),
      ElementsAre("scales: element 1 is -65520: its largest weight is above 65504, infinite as a half"));
}

// Weights of a file may be anything: what the host layer refuses is named, and hides nothing else.
TEST(TrellisWarnings, OfValuesThatTheHostRefuses) {
  Ordinary weights;
  weights.scales[5] = std::numeric_limits<float>::infinity();
  weights.scales[6] = 300;
  weights.grid[2] = std::nanf("");
  weights.su[3] = 0.5F;
  weights.sv[0] = std::nanf("");
  weights.sv[9] = 0;
  EXPECT_THAT(trellis_warnings(weights.view()),
              ElementsAre("grid: element 2 is nan: not finite", "scales: element 5 is inf: not finite",
                          "su: element 3 is 0.5: neither +1 nor -1",
                          "sv: element 0 is nan: neither +1 nor -1 (and 1 more)",
                          "scales: element 6 is 300: 1200 times the median magnitude"));
  for (float& scale : weights.scales) scale = std::nanf("");
  EXPECT_THAT(trellis_warnings(weights.view()),
              testing::Contains("scales: element 0 is nan: not finite (and 349 more)"));
}

// 40 x 70 indices; what pads the last tiles is no index.
TEST(TrellisWarnings, OfIndicesPastTheGrid) {
  Ordinary weights;
  std::vector<std::uint8_t> indices(40 * 70, 6);
  indices[17] = indices[39 * 70 + 69] = 7;
  weights.packed_indices = pack_trellis(indices, 40, 70, 3);
  EXPECT_THAT(trellis_warnings(weights.view()), IsEmpty());
  weights.grid = {-1.0F, 0.0F, 0.25F, 0.5F, 0.75F, 0.875F, 1.0F};
  EXPECT_THAT(
      trellis_warnings(weights.view()),
      ElementsAre("packed_indices: 2 of 2800 indices are past the grid of 7 levels: they read level 0"));
}

}  // namespace
}  // namespace assay::reference
