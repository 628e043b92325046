// What a kernel whose results are wrong is asked.
#include "properties/diagnosis/probes.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/properties/support.hpp"

namespace assay::properties {
namespace {

TEST(Probes, AskEveryRegimeAtSeveralSizesButThoseOfOptionalOutputs) {
  const auto asked = probes(find_operation("gemm_fp4"), testing::common_tile());
  std::set<std::string> regimes;
  std::set<std::int64_t> K;
  for (const Case& one : asked) {
    regimes.insert(one.regime);
    K.insert(one.dims.at("K"));
  }
  EXPECT_EQ(regimes.size(), find_operation("gemm_fp4").declaration().regimes.size());
  EXPECT_EQ(K, (std::set<std::int64_t>{32, 64, 69, 128}));
  for (const Case& one : probes(find_operation("rans_gemv"), testing::common_tile()))
    EXPECT_NE(one.regime, "damaged");
}

TEST(Probes, OfKindsAskForEachAndForNothingElse) {
  std::set<std::int64_t> defects;
  for (const Case& one : probes_of_kinds(find_operation("rans_gemv"), testing::common_tile())) {
    EXPECT_EQ(one.regime, "damaged");
    defects.insert(one.knobs.at("defect"));
  }
  EXPECT_EQ(defects.size(), 9U);
  EXPECT_TRUE(probes_of_kinds(find_operation("gemm_fp4"), testing::common_tile()).empty());
}

TEST(Probes, OfChainedProductsStaySmall) {
  const auto asked = probes(find_operation("moe_swiglu_trellis"),
                            {.tile = {16, 64, 32}, .requirements = {}, .arithmetic = {}});
  EXPECT_GE(asked.size(), 8U);
  for (const Case& one : asked) EXPECT_LT(one.dims.at("K") * one.dims.at("intermediate"), 1 << 14);
}

}  // namespace
}  // namespace assay::properties
