// What a set is asked to hold: each option decides its cases, and what cannot be meant is refused by its
// name.
#include "golden/set_request.hpp"

#include <gmock/gmock.h>

#include <set>

#include "tests/error_of.hpp"

namespace assay::golden {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

std::vector<properties::Case> cases_of(const SetRequest& request) {
  std::vector<properties::Case> cases;
  for (const PlannedCase& one : plan_set(request).cases) cases.push_back(one.test_case);
  return cases;
}

TEST(SetRequests, AreReadAsTheyAreWritten) {
  const SetRequest requests[] = {
      {.operation = "gemm_fp4"},
      {.operation = "gemm_fp4",
       .seed = 7,
       .cases = 3,
       .shapes = {"M=1,N=8,K=8", "llama-3-8b,M=4"},
       .group_size = 32},
      {.operation = "gemm_trellis", .bits = 3, .arithmetic = "half,float", .regime = "random"},
      {.operation = "gemm_u4", .planned = true},
      {.operation = "gemm_fp4", .lines = {"operation=gemm_fp4 K=8 M=1 N=1 group_size=8 regime=exact seed=1"}},
  };
  std::set<std::string> names;
  for (const SetRequest& request : requests) {
    EXPECT_EQ(parse_request(to_line(request)), request) << to_line(request);
    names.insert(plan_set(request).name);
  }
  EXPECT_THAT(names, SizeIs(5));  // sets with other options do not share files
}

TEST(SetRequests, ShapesAreTakenExactly) {
  const auto cases = cases_of(
      {.operation = "gemm_fp4", .cases = 2, .shapes = {"M=3,N=40,K=72", "M=1,N=8,K=8,group_size=8"}});
  ASSERT_THAT(cases, SizeIs(4));
  EXPECT_EQ(cases[0].dims, (Dims{{"M", 3}, {"N", 40}, {"K", 72}, {"group_size", 128}}));
  EXPECT_EQ(cases[2].dims, (Dims{{"M", 1}, {"N", 8}, {"K", 8}, {"group_size", 8}}));
  EXPECT_EQ(cases[0].regime, "random");
  EXPECT_EQ(cases[1].regime, "exact");
  EXPECT_NE(cases[0].seed, cases[1].seed);
}

TEST(SetRequests, AModelStandsForItsLayers) {
  const auto cases = cases_of({.operation = "gemm_fp4", .shapes = {"llama-3-8b"}});
  std::set<std::int64_t> tokens;
  for (const auto& one : cases) tokens.insert(one.dims.at("M"));
  EXPECT_EQ(tokens, (std::set<std::int64_t>{1, 8, 512}));
  EXPECT_THAT(cases, SizeIs(12));  // four shapes of layers
  EXPECT_THAT(cases_of({.operation = "gemm_fp4", .shapes = {"llama-3-8b,M=16"}}), SizeIs(4));
  EXPECT_THAT(cases_of({.operation = "dequantize_fp4", .shapes = {"llama-3-8b"}}), SizeIs(4));  // no tokens
}

TEST(SetRequests, OptionsHoldForDrawnCases) {
  for (const auto& one : cases_of(
           {.operation = "gemm_trellis", .cases = 30, .group_size = 24, .bits = 3, .regime = "random"})) {
    EXPECT_EQ(one.dims.at("group_size"), 24);
    EXPECT_EQ(one.dims.at("bits"), 3);
    EXPECT_EQ(one.regime, "random");
  }
  const auto set = plan_set({.operation = "gemm_u4", .arithmetic = "half,half"});
  EXPECT_EQ(set.arithmetic.dequantize, Precision::half_precision);
  EXPECT_EQ(set.arithmetic.accumulate, Precision::half_precision);
  EXPECT_EQ(plan_set({.operation = "gemm_u4", .arithmetic = "half"}).arithmetic.accumulate,
            Precision::half_precision);
}

TEST(SetRequests, PlannedCasesAreThoseOfEveryRun) {
  for (const char* operation : {"gemm_fp4", "dequantize_u4", "rans_decode", "moe_swiglu_trellis"}) {
    const auto cases = cases_of({.operation = operation, .planned = true});
    EXPECT_THAT(cases, testing::Not(testing::IsEmpty())) << operation;
  }
}

TEST(SetRequests, WhatCannotBeMeantIsRefusedByName) {
  const std::pair<SetRequest, const char*> wrong[] = {
      {{.operation = "gemm_fp5"}, "gemm_fp5"},
      {{.operation = "gemm_fp4", .cases = 0}, "cases: "},
      {{.operation = "gemm_fp4", .shapes = {""}}, "shape: "},
      {{.operation = "gemm_fp4", .shapes = {"M"}}, "shape: M is not a model"},
      {{.operation = "gemm_fp4", .shapes = {"M=0"}}, "shape: "},
      {{.operation = "gemm_fp4", .shapes = {"M=1,M=2"}}, "shape: M is given twice"},
      {{.operation = "gemm_fp4", .shapes = {"M=-1"}}, "shape: "},
      {{.operation = "gemm_fp4", .shapes = {"M=1,Q=2"}}, "shape: "},
      {{.operation = "gemm_fp4", .shapes = {"M=99999999999"}}, "shape: "},
      {{.operation = "gemm_fp4", .shapes = {"M=1000000,N=1000000"}}, "larger than"},
      {{.operation = "moe_swiglu_trellis", .shapes = {"llama-3-8b"}}, "shape: llama-3-8b has no layer"},
      {{.operation = "gemm_fp4", .group_size = 12}, "group_size"},
      {{.operation = "gemm_fp4", .bits = 3}, "bits: gemm_fp4 has none"},
      {{.operation = "gemm_trellis", .bits = 5}, "bits"},
      {{.operation = "gemm_fp4", .arithmetic = "double"}, "arithmetic: "},
      {{.operation = "gemm_fp4", .arithmetic = "half,half,half"}, "arithmetic: "},
      {{.operation = "gemm_fp4", .regime = "hard"}, "regime: hard is not one of gemm_fp4's"},
      {{.operation = "gemm_fp4", .cases = 2, .planned = true}, "planned: "},
      {{.operation = "gemm_fp4", .lines = {"operation=gemm_u4 K=8 M=1 N=1 group_size=8 regime=exact seed=1"}},
       "case: "},
      {{.operation = "gemm_fp4",
        .lines = {"operation=gemm_fp4 K=8 M=1 N=1 group_size=8 regime=exact knob.range=9 seed=1"}},
       "case: "},
      {{.operation = "gemm_fp4", .lines = {"K=8"}}, "case: "},
  };
  for (const auto& [request, says] : wrong) {
    EXPECT_THAT(error_of<std::invalid_argument>([&, &asked = request] { plan_set(asked); }),
                testing::AllOf(HasSubstr(says), testing::Not(HasSubstr("\n"))))
        << to_line(request);
  }
  for (const char* line :
       {"", "operation", "operation=gemm_fp4", "operation=gemm_fp4 seed=x", "seed=1 operation=gemm_fp4",
        "operation=gemm_fp4 seed=1 more=1", "operation=gemm_fp4  seed=1", "operation=gemm_fp4 seed=01",
        "operation=gemm_fp4 seed=1 planned=2"}) {
    EXPECT_NE(error_of<std::invalid_argument>([&] { parse_request(line); }), "no error") << line;
  }
}

}  // namespace
}  // namespace assay::golden
