// Popular shapes: cases of each kernel that serves such layers, and none of those that do not.
#include <gtest/gtest.h>

#include <algorithm>

#include "properties/large/models.hpp"
#include "tests/large/entries.hpp"

namespace assay::properties {
namespace {

std::vector<Case> popular_of(const std::string& kernel, bool checked) {
  for (const KernelEntry& entry : testing::our_kernels()) {
    if (entry.name != kernel) continue;
    const Operation& operation = find_operation(entry.operation);
    return popular_cases(operation, operation.cases(traits_of(entry)), checked);
  }
  throw std::logic_error("there is no kernel " + kernel);
}

bool holds(const std::vector<Case>& cases, const Dims& dims) {
  return std::any_of(cases.begin(), cases.end(), [&](const Case& one) {
    return std::all_of(dims.begin(), dims.end(),
                       [&](const auto& size) { return one.dims.at(size.first) == size.second; });
  });
}

TEST(PopularShapes, OfAProductHaveOneTokenAndAllOfKAsOneGroup) {
  const auto cases = popular_of("marlin_gemm_fp4", false);
  EXPECT_TRUE(holds(cases, {{"M", 1}, {"N", 4096}, {"K", 4096}, {"group_size", 128}}));
  EXPECT_TRUE(holds(cases, {{"N", 151'936}})) << "a vocabulary";
  EXPECT_TRUE(holds(cases, {{"M", 80}, {"K", 3072}})) << "more rows than a tile beside a long sum";
  EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [](const Case& one) {
    return one.dims.at("group_size") == one.dims.at("K") && one.dims.at("K") > 1024;
  }));
  EXPECT_TRUE(std::none_of(cases.begin(), cases.end(),
                           [](const Case& one) { return one.dims.contains("num_experts"); }));
}

// A kernel may be wrong at one layer alone. Longer sums cost too much for every run.
TEST(PopularShapes, HaveEachLayerOfTheModelsOnce) {
  constexpr std::int64_t kLongest = 14'336;
  const auto cases = popular_of("marlin_gemm_fp4", false);
  std::size_t layers = 0;
  for (const Layer& layer : model_layers()) {
    if (layer.experts != 0 || layer.inputs > kLongest) continue;
    EXPECT_TRUE(holds(cases, {{"N", layer.outputs}, {"K", layer.inputs}}))
        << layer.model << " " << layer.name;
    ++layers;
  }
  EXPECT_GT(layers, 20U);
  for (const std::int64_t tokens : {1, 8, 16}) EXPECT_TRUE(holds(cases, {{"M", tokens}}));
  for (const std::int64_t group : {32, 64, 128}) EXPECT_TRUE(holds(cases, {{"group_size", group}}));
}

TEST(PopularShapes, OfExpertsAreMixturesAlone) {
  const auto cases = popular_of("gemm_trellis_moe", false);
  EXPECT_TRUE(holds(cases, {{"num_experts", 256}, {"top_k", 8}}));
  EXPECT_FALSE(holds(cases, {{"N", 4096}}));
}

// A token count makes no other case of weights alone.
TEST(PopularShapes, StandOnce) {
  for (const char* kernel : {"dequant_fp4", "dequant_trellis", "marlin_gemm_fp4"}) {
    const auto cases = popular_of(kernel, false);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) EXPECT_NE(cases[i].dims, cases[j].dims) << kernel;
    }
  }
}

TEST(PopularShapes, OfCheckedModeAreSomeOfTheOthers) {
  const auto all = popular_of("marlin_gemm_fp4", false), checked = popular_of("marlin_gemm_fp4", true);
  EXPECT_LT(checked.size(), all.size());
  EXPECT_FALSE(checked.empty());
  for (const Case& one : checked) EXPECT_TRUE(holds(all, one.dims));
}

}  // namespace
}  // namespace assay::properties
