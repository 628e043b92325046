#include "harness/verify/near.hpp"

#include <gmock/gmock.h>

namespace assay {
namespace {

const std::vector<std::string> kKernels = {"dequant_fp4", "dequant_u4", "marlin_gemm_fp4", "moe"};

TEST(Nearest, IsAFewLettersAway) {
  EXPECT_EQ(nearest("dequant_fp5", kKernels), "dequant_fp4");
  EXPECT_EQ(nearest("dequnat_u4", kKernels), "dequant_u4");  // exchanged
  EXPECT_EQ(nearest("marlin_gem_fp4", kKernels), "marlin_gemm_fp4");
  EXPECT_EQ(nearest("mo", kKernels), "moe");
  EXPECT_EQ(nearest("moe", kKernels), "moe");
}

TEST(Nearest, IsNothingWhereNoWordIsNear) {
  EXPECT_EQ(nearest("rans_decode", kKernels), "");
  EXPECT_EQ(nearest("", kKernels), "");
  EXPECT_EQ(nearest("x", {"y"}), "");  // of it no letter is right
  EXPECT_EQ(nearest(std::string(100'000, 'm'), kKernels), "");
  EXPECT_EQ(nearest("moe", {}), "");
}

TEST(DidYouMean, IsTheEndOfASentence) {
  EXPECT_EQ(did_you_mean("verfy", {"verify", "watch"}), "; did you mean `verify`?");
  EXPECT_EQ(did_you_mean("frobnicate", {"verify", "watch"}), "");
}

}  // namespace
}  // namespace assay
