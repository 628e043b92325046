// What the host says of trellis weights that a kernel would take without a word: shapes that are exchanged,
// grids and scales that are seldom meant.
#include "kernels/host/trellis_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "kernels/host/trellis_linear.hpp"
#include "tests/host/recording_device.hpp"

namespace assay::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StrEq;
using testing::ThrowsMessage;

/// 40 x 70 at 3 bits: 3 x 5 tiles, 5 groups of 8. Levels reach 1 and scales 0.25.
struct Ordinary {
  std::vector<std::uint8_t> packed_indices = std::vector<std::uint8_t>(3 * 5 * 96);
  std::vector<float> scales = std::vector<float>(5 * 70, 0.25F);
  std::vector<float> grid = {-0.75F, -0.5F, -0.25F, 0.0F, 0.25F, 0.5F, 0.75F, 1.0F};
  std::vector<float> su = std::vector<float>(40, 1.0F), sv = std::vector<float>(70, -1.0F);

  reference::TrellisWeights view() const { return {40, 70, 8, 3, packed_indices, scales, grid, su, sv}; }
};

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

TEST(TrellisLinear, RefusesExchangedTilesBeforeAnythingReachesTheDevice) {
  RecordingDevice device;
  KernelLibrary kernels(device, "some/kernels");
  const Ordinary weights;
  EXPECT_THAT(
      [&] {
        TrellisLinear(kernels, weights.view(), {5, 3, 96});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("are exchanged")));
  EXPECT_THAT(device.steps, IsEmpty());
  EXPECT_NO_THROW(TrellisLinear(kernels, weights.view(), {3, 5, 96}));
}

TEST(TrellisLinear, KeepsTheWarningsOfItsWeights) {
  RecordingDevice device;
  KernelLibrary kernels(device, "some/kernels");
  Ordinary weights;
  EXPECT_THAT(TrellisLinear(kernels, weights.view()).warnings(), IsEmpty());
  weights.grid.pop_back();
  EXPECT_THAT(TrellisLinear(kernels, weights.view()).warnings(),
              ElementsAre(HasSubstr("grid: is not normalised")));
}

}  // namespace
}  // namespace assay::host
