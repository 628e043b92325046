// What the host layer says of trellis weights that a kernel would take without a word.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/host/trellis_linear.hpp"
#include "tests/host/recording_device.hpp"
#include "tests/ordinary_trellis.hpp"

namespace assay::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;
using Ordinary = tests::OrdinaryTrellis;

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
