// The reference by hand, and the verdicts on a right kernel and on a wrong one.
#include <assay/gtest.hpp>

#include <vector>

#include "absmax_reference.hpp"

namespace {

TEST(Absmax, ReferenceTakesTheLargestMagnitudeOfEachGroup) {
  // Two columns, nine rows, groups of eight: -2 is the largest of the first column's first group, 1 of its
  // second.
  std::vector<std::uint16_t> W(9 * 2, 0x3800);
  W[2 * 2] = 0xC000;
  W[8 * 2] = 0x3C00;
  EXPECT_EQ(absmax(W, 9, 2, 8), (std::vector<std::uint16_t>{0x4000, 0x3800, 0x3C00, 0x3800}));
}

TEST(Absmax, RightKernelPasses) {
  EXPECT_TRUE(assay::verify(assay::load_manifest(SOURCE_DIR "/kernels.toml")["absmax"]));
}

TEST(Absmax, KernelThatForgetsTheMagnitudeIsRejected) {
  const auto found = assay::verify(assay::load_manifest(SOURCE_DIR "/kernels.toml")["signed_max"]);
  EXPECT_EQ(found.verdict(), assay::Verdict::wrong_result) << found;
}

}  // namespace
