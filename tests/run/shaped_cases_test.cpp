// Cases of given shapes: which of them a kernel takes, and what it is told of those that it does not.
#include "harness/run/shaped_cases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/run/plan.hpp"
#include "properties/cases/operation.hpp"
#include "properties/large/models.hpp"
#include "tests/error_of.hpp"
#include "tests/large/entries.hpp"

namespace assay::run {
namespace {

using properties::testing::gemm_entry;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

KernelEntry ours(const std::string& name) {
  for (KernelEntry& entry : properties::testing::our_kernels()) {
    if (entry.name == name) return entry;
  }
  throw std::logic_error(name);
}

TEST(ShapedCases, AreReadFromWords) {
  EXPECT_EQ(parse_dims("M=1,N=4096,group_size=32"), (Dims{{"M", 1}, {"N", 4096}, {"group_size", 32}}));
  for (const char* bad : {"", "M", "M=", "=1", "M=x", "M=1x", "M=0", "M=-1", "M=1,", ",M=1", "M=1;N=2",
                          "M=99999999999999999999"}) {
    EXPECT_THAT(error_of([&] { parse_dims(bad); }), HasSubstr("write sizes as in M=1,N=4096,K=4096")) << bad;
  }
  EXPECT_THAT(error_of([] { parse_dims("M=1,M=2"); }), HasSubstr("M is given twice"));
}

TEST(ShapedCases, HaveTheDimensionsAskedForAndTwoKindsOfValues) {
  const auto cases =
      shaped_cases(gemm_entry("\"tiles\""), {.at = {{{"M", 3}, {"N", 4096}, {"K", 4100}}}}).cases;
  ASSERT_EQ(cases.size(), 2u);
  for (const auto& one : cases) {
    EXPECT_EQ(one.dims, (Dims{{"M", 3}, {"N", 4096}, {"K", 4100}, {"group_size", 8}}));
  }
  EXPECT_EQ(cases[0].regime, "exact");
  EXPECT_EQ(cases[1].regime, "random");
}

TEST(ShapedCases, ThatAKernelDoesNotTakeAreRefused) {
  const auto refused = [](const KernelEntry& entry, const Dims& dims) {
    return error_of([&] { shaped_cases(entry, {.at = {dims}}); });
  };
  EXPECT_THAT(refused(gemm_entry("\"tiles\""), {{"L", 1}}), HasSubstr("gemm_fp4 has no dimension L"));
  EXPECT_THAT(refused(gemm_entry("\"tiles\"", "requires = { M_max = 16 }\n"), {{"M", 17}}),
              HasSubstr("the kernel does not take M=17"));
  EXPECT_THAT(refused(gemm_entry("\"tiles\""), {{"M", 1 << 20}, {"N", 1 << 20}}),
              HasSubstr("make its dimensions smaller"));
  EXPECT_THAT(refused(ours("marlin_gemm_fp4_striped"), {{"M", 4096}, {"N", 4096}, {"K", 64}}),
              HasSubstr("the grid does not say which threadgroup stores what"));
}

// What threadgroups share out by themselves is run whole or not at all: a budget says that it may be.
TEST(ShapedCases, HaveTheBudgetThatIsAskedFor) {
  const Dims shape = {{"M", 1}, {"N", 4096}, {"K", 4096}};
  const auto striped = ours("marlin_gemm_fp4_striped");
  EXPECT_THAT(error_of([&] { shaped_cases(striped, {.at = {shape}}, 1); }),
              HasSubstr("with a budget of 1, and no sample can be run: the grid does not say"));
  const auto cases = shaped_cases(striped, {.at = {shape}}, 2).cases;
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[1].budget, 2u);
  for (const auto& one : shaped_cases(ours("marlin_gemm_fp4"), {.at = {}, .models = "mistral-7b"}, 7).cases)
    EXPECT_EQ(one.budget, 7u);
}

TEST(ShapedCases, OfModelsServeTheirLayers) {
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  for (const auto& one : shaped_cases(ours("marlin_gemm_fp4"), {.at = {}, .models = "llm"}).cases) {
    EXPECT_TRUE(seen.size() < 200);
    EXPECT_EQ(one.dims.at("group_size"), 128);
    seen.emplace(one.dims.at("N"), one.dims.at("K"));
  }
  EXPECT_TRUE(seen.contains({28672, 8192})) << "Llama 3 70B's gate";
  EXPECT_TRUE(seen.contains({7168, 18432})) << "DeepSeek V3's dense layers";
  const auto own = shaped_cases(ours("dequant_trellis"), {.at = {}, .models = "mistral-7b"}).cases;
  ASSERT_EQ(own.size(), 1u) << "weights have no tokens";
  EXPECT_EQ(own[0].dims.at("N"), 32000);
  EXPECT_THAT(error_of([] { shaped_cases(ours("gemm_trellis_moe"), {.at = {}, .models = "mistral-7b"}); }),
              HasSubstr("no layer of mistral-7b"));
  EXPECT_THAT(shape_names(), ::testing::IsSupersetOf({"llm", "llama-3-8b", "llama-3-70b", "qwen-3-32b",
                                                      "gemma-2-9b", "deepseek-v3"}));
}

// Where a threadgroup works through a whole prompt, or a token through eight experts, a layer takes minutes:
// a mode runs what it can afford, and says what it does not run.
TEST(ShapedCases, OfModelsAreThoseThatAModeCanAfford) {
  const KernelEntry batch = ours("fused_rans_gemm"), experts = ours("gemm_trellis_moe"),
                    product = ours("marlin_gemm_fp4");
  const Shapes llm{.at = {}, .models = "llm"};
  const auto checked = shaped_cases(batch, llm, 1, Mode::checked);
  EXPECT_LT(checked.cases.size(), shaped_cases(batch, llm, 1, Mode::fast).cases.size());
  EXPECT_LT(checked.cases.size(), shaped_cases(batch, llm, 8, Mode::checked).cases.size());
  EXPECT_THAT(checked.left_out, HasSubstr("one threadgroup would take minutes"));
  EXPECT_EQ(shaped_cases(product, llm, 1, Mode::checked).left_out, "");
  EXPECT_FALSE(shaped_cases(experts, llm, 1, Mode::fast).cases.empty());
  EXPECT_TRUE(shaped_cases(experts, llm, 1, Mode::checked).cases.empty());

  Request request;
  request.named = true;
  request.numerics = "strict";
  request.options.shapes = llm;
  EXPECT_THAT(plan(request, {&experts}).left_out,
              ElementsAre(HasSubstr("gemm_trellis_moe: fast mode: "), HasSubstr("checked mode: ")));
  request.mode = "checked";
  EXPECT_THAT(error_of([&] { plan(request, {&experts}); }), HasSubstr("raise --budget"));
}

}  // namespace
}  // namespace assay::run
