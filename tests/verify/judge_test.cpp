#include "harness/verify/judge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace assay {
namespace {

using device::Fault;
using device::FaultKind;
using testing::ElementsAre;
using testing::HasSubstr;

Comparison right(std::size_t elements) { return {"C", DType::f16, {1, elements}, "", elements, 0, 0, {}}; }

Comparison wrong(std::size_t never_written) {
  Comparison c = right(8);
  c.wrong.push_back({3, 0, 3, never_written > 0, 0, 1.5, 2.25, 2.25, 2.25});
  c.wrong.push_back({5, 0, 5, never_written > 1, 0, 1.5, 2.25, 2.25, 2.25});
  c.never_written = never_written;
  return c;
}

Fault fault(FaultKind kind) { return {kind, "what happened", {"k.metal", 42}, {}, 3}; }

TEST(Judge, EverythingRightIsAPass) {
  const Outcome outcome = judge({{}, {right(8), right(4)}, {}, {}});
  EXPECT_EQ(outcome.verdict, Verdict::pass);
  EXPECT_EQ(outcome.summary, "all 12 elements are right");
  EXPECT_TRUE(outcome.details.empty());
}

// A result that Metal leaves undefined is a fault where something is wrong that may come of it.
TEST(Judge, AnUndefinedResultIsBlamedWhereSomethingIsWrong) {
  Evidence fine{{}, {right(8)}, {}, {}}, bad{{}, {wrong(0)}, {}, {}}, differs = fine, out_of_bounds = fine;
  differs.second_run.push_back({"C", 8, 1, 0, 3, 1, 2, 0, {8}});
  out_of_bounds.report.faults = {fault(FaultKind::out_of_bounds)};
  out_of_bounds.report.faults[0].moment = 7;
  for (Evidence* one : {&fine, &bad, &differs, &out_of_bounds}) {
    one->report.undefined = {fault(FaultKind::undefined)};
    one->report.undefined[0].moment = 5;
    blame_undefined(*one);
    EXPECT_TRUE(one->report.undefined.empty());
    EXPECT_EQ(judge(*one).verdict, one == &fine ? Verdict::pass : Verdict::undefined);
  }
}

TEST(Judge, NothingComparedIsVacuous) {
  EXPECT_EQ(judge({}).verdict, Verdict::vacuous);
  EXPECT_EQ(judge({{}, {right(0)}, {}, {}}).verdict, Verdict::vacuous);
}

TEST(Judge, WrongElements) {
  const Outcome outcome = judge({{}, {right(8), wrong(0)}, {}, {}});
  EXPECT_EQ(outcome.verdict, Verdict::wrong_result);
  EXPECT_EQ(outcome.summary, "2 of 8 elements of C are wrong; the first, C[0,3], is 1.5 instead of 2.25");
}

TEST(Judge, NaNHasNoSign) {
  Comparison c = wrong(0);
  c.wrong[0].got = -std::numeric_limits<double>::quiet_NaN();
  c.wrong[0].expected = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(judge({{}, {c}, {}, {}}).summary, HasSubstr("C[0,3], is NaN instead of NaN"));
}

TEST(Judge, ElementsThatWereNeverWritten) {
  EXPECT_EQ(judge({{}, {wrong(2)}, {}, {}}).summary,
            "2 of 8 elements of C were never written; the first is C[0,3]");
  EXPECT_EQ(
      judge({{}, {wrong(1)}, {}, {}}).summary,
      "2 of 8 elements of C are wrong (1 of them was never written); the first, C[0,3], was never written");
}

TEST(Judge, FaultComesBeforeTheWrongResultItCaused) {
  const Outcome outcome = judge({{{fault(FaultKind::race)}}, {wrong(0)}, {}, {}});
  EXPECT_EQ(outcome.verdict, Verdict::race);
  EXPECT_EQ(outcome.summary, "k.metal:42: what happened");
  EXPECT_THAT(outcome.details,
              ElementsAre("race at k.metal:42 (3 times in this case): what happened", HasSubstr("2 of 8")));
}

TEST(Judge, FaultRejectsAKernelWhoseResultIsRight) {
  EXPECT_EQ(judge({{{fault(FaultKind::uninitialised_read)}}, {right(8)}, {}, {}}).verdict,
            Verdict::uninitialised_read);
}

TEST(Judge, CauseComesBeforeConsequence) {
  const FaultKind order[] = {
      FaultKind::over_budget, FaultKind::misaligned,     FaultKind::race,  FaultKind::uninitialised_read,
      FaultKind::undefined,   FaultKind::out_of_bounds,  FaultKind::crash, FaultKind::divergent_barrier,
      FaultKind::deadlock,    FaultKind::needs_residency};
  for (std::size_t i = 0; i < std::size(order); ++i) {
    for (std::size_t j = i + 1; j < std::size(order); ++j) {
      EXPECT_EQ(judge({{{fault(order[j]), fault(order[i])}}, {}, {}, {}}).verdict, verdict_of(order[i]));
    }
  }
}

// Whatever its kind, no fault follows from one that came later.
TEST(Judge, WhatCameFirstComesBeforeWhatCameLater) {
  Fault early = fault(FaultKind::deadlock), late = fault(FaultKind::race);
  early.moment = 5;
  late.moment = 7;
  EXPECT_EQ(judge({{{late, early}}, {}, {}, {}}).verdict, Verdict::deadlock);
  Fault never_ran = fault(FaultKind::over_budget);
  never_ran.moment = 9;
  EXPECT_EQ(judge({{{late, early, never_ran}}, {}, {}, {}}).verdict, Verdict::over_budget);
}

TEST(Judge, ARaceThatChangesValuesComesBeforeOneThatDoesNot) {
  Fault same = fault(FaultKind::race), other = fault(FaultKind::race);
  same.same_value = true;
  other.message = "changes values";
  EXPECT_EQ(judge({{{same, other}}, {}, {}, {}}).summary, "k.metal:42: changes values");
}

TEST(Judge, ChangedInputIsAWrongResult) {
  const Outcome outcome = judge({{}, {right(8)}, {}, {"scales"}});
  EXPECT_EQ(outcome.verdict, Verdict::wrong_result);
  EXPECT_EQ(outcome.summary, "the kernel wrote to its input scales");
}

TEST(Judge, OtherBitsOnTheSecondRunAreAWrongResult) {
  const Outcome outcome = judge({{}, {right(8)}, {{"C", 8, 2, 0, 3, 0x3C00, 0x3C01, 0, {1, 8}}}, {}});
  EXPECT_EQ(outcome.verdict, Verdict::wrong_result);
  EXPECT_EQ(outcome.summary,
            "a second run gives other results: 2 of 8 elements of C differ; the first, C[0,3], is 0x3c00 in "
            "one run and 0x3c01 in the other");
}

// Memory that no run writes holds what it was filled with, which differs: one fault, told once.
TEST(Judge, ElementsThatWereNeverWrittenAreToldOnce) {
  const BitDifference same{"C", 8, 2, 0, 3, 0x7FA5, 0x7F5A, 2, {1, 8}};
  EXPECT_THAT(judge({{}, {wrong(2)}, {same}, {}}).details,
              ElementsAre("2 of 8 elements of C were never written; the first is C[0,3]"));
  BitDifference more = same, other = same;
  more.different = more.never_written = 3;
  other.tensor = "D";
  EXPECT_EQ(judge({{}, {wrong(2)}, {more}, {}}).details.size(), 2u);
  EXPECT_EQ(judge({{}, {wrong(2)}, {other}, {}}).details.size(), 2u);
  BitDifference written = same;
  written.never_written = 1;
  EXPECT_EQ(judge({{}, {wrong(2)}, {written}, {}}).details.size(), 2u);
}

// The indices in a name, in whatever shape, are those of the element.
RC_GTEST_PROP(JudgeProperty, ElementsHaveAnIndexForEachAxis, ()) {
  const auto axes = *rc::gen::inRange<std::size_t>(1, 6);
  const auto shape = *rc::gen::container<std::vector<std::size_t>>(axes, rc::gen::inRange<std::size_t>(1, 7));
  std::vector<std::size_t> indices;
  std::size_t index = 0;
  for (const std::size_t side : shape) {
    indices.push_back(*rc::gen::inRange<std::size_t>(0, side));
    index = index * side + indices.back();
  }
  Comparison one{"C", DType::f16, shape, "", 9, 0, 0, {}};
  one.wrong.push_back({index, index / shape.back(), index % shape.back(), false, 0, 1.5, 2.25, 2.25, 2.25});
  RC_ASSERT(describe(one).find(fmt::format("the first, C[{}], is", fmt::join(indices, ","))) !=
            std::string::npos);
}

TEST(Judge, PlaceThatIsNotKnownIsLeftOut) {
  const Outcome outcome = judge({{{{FaultKind::out_of_bounds, "a write", {}, {}, 1}}}, {}, {}, {}});
  EXPECT_EQ(outcome.summary, "a write");
  EXPECT_THAT(outcome.details, ElementsAre("out of bounds: a write"));
}

}  // namespace
}  // namespace assay
