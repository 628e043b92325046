// Shrinking: a synthetic fault must come down to its smallest case, from wherever it was found.
#include "properties/cases/search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/properties/support.hpp"

namespace assay::properties {
namespace {

std::int64_t at(const Case& test_case, const char* name) { return dim(test_case.dims, name); }

/// M, N, K, group_size of the smallest failing case, for each of several seeds.
std::vector<std::array<std::int64_t, 4>> smallest(const Predicate& fails) {
  const auto cases = find_operation("gemm_fp4").cases(testing::common_tile());
  std::vector<std::array<std::int64_t, 4>> found;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const SearchResult result = search(cases, seed, 1000, [&](const Case& one) { return !fails(one); });
    if (!result.failure || result.failure->shrunk.exhausted) return {};
    const Case& least = result.failure->shrunk.smallest;
    EXPECT_TRUE(fails(least)) << least;
    found.push_back({at(least, "M"), at(least, "N"), at(least, "K"), at(least, "group_size")});
  }
  return found;
}

using Sizes = std::array<std::int64_t, 4>;

TEST(Shrinking, RaggedColumnsComeDownToOneElement) {
  EXPECT_THAT(smallest([](const Case& c) { return at(c, "N") % 8 != 0; }),
              ::testing::Each(Sizes{1, 1, 1, 8}));
}

TEST(Shrinking, SecondTileOfKComesDownToItsFirstElement) {
  EXPECT_THAT(smallest([](const Case& c) { return at(c, "K") > 32; }), ::testing::Each(Sizes{1, 1, 33, 8}));
}

TEST(Shrinking, SmallGroupsWithinKComeDownToTheirSecondGroup) {
  EXPECT_THAT(
      smallest([](const Case& c) { return at(c, "group_size") < 32 && at(c, "K") > at(c, "group_size"); }),
      ::testing::Each(Sizes{1, 1, 9, 8}));
}

TEST(Shrinking, ThresholdAwayFromAnyEdgeIsFoundExactly) {
  EXPECT_THAT(smallest([](const Case& c) { return at(c, "M") >= 43; }), ::testing::Each(Sizes{43, 1, 1, 8}));
}

TEST(Shrinking, RatioOfKToGroupsSurvivesTheShrinkingOfGroups) {
  EXPECT_THAT(smallest([](const Case& c) { return at(c, "K") == 2 * at(c, "group_size"); }),
              ::testing::Each(Sizes{1, 1, 16, 8}));
}

TEST(Shrinking, TwoSizesTogether) {
  EXPECT_THAT(smallest([](const Case& c) { return at(c, "M") > 16 && at(c, "K") % 8 == 7; }),
              ::testing::Each(Sizes{17, 1, 7, 8}));
}

TEST(Shrinking, RegimeKnobsAndSeedBecomeSimple) {
  const auto cases = find_operation("gemm_fp4").cases(testing::common_tile());
  const auto passes = [](const Case& c) { return c.regime != "probe" && c.regime != "random"; };
  const SearchResult result = search(cases, 3, 1000, passes);
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(to_line(result.failure->shrunk.smallest),
            "operation=gemm_fp4 K=1 M=1 N=1 group_size=8 regime=probe knob.first=0 seed=0");
  const SearchResult knob = search(cases, 3, 1000, [](const Case& c) {
    const auto found = c.knobs.find("first");
    return found == c.knobs.end() || found->second < 5 || at(c, "K") <= found->second;
  });
  ASSERT_TRUE(knob.failure);
  EXPECT_EQ(knob.failure->shrunk.smallest.knobs.at("first"), 5);
  EXPECT_EQ(at(knob.failure->shrunk.smallest, "K"), 6);
}

TEST(Shrinking, StopsAtItsLimitAndSaysSo) {
  const auto cases = find_operation("gemm_fp4").cases(testing::common_tile());
  const SearchResult result = search(
      cases, 1, 100, [](const Case& c) { return at(c, "M") < 40; }, ShrinkLimit{.attempts = 3});
  ASSERT_TRUE(result.failure);
  EXPECT_TRUE(result.failure->shrunk.exhausted);
  EXPECT_EQ(result.failure->shrunk.attempts, 3U);
  EXPECT_THAT(result.failure->describe_shrinking(), ::testing::HasSubstr("limit"));
}

// What fails only where nearly everything is run as a whole: tries that take seconds each come to an end.
TEST(Shrinking, StopsWhereItsTriesTakeTooLong) {
  const Operation& operation = find_operation("gemm_fp4");
  const CaseSpace space = operation.cases(testing::common_tile());
  Case failing = case_at(space, 1, 0);
  failing.dims["M"] = 8'388'613;
  failing.dims["N"] = failing.dims["K"] = 1;
  double work = 0;
  const ShrinkLimit limit{.attempts = 80, .work = 0x1p36};
  const auto shrunk = shrink_sizes_first(
      space, failing,
      [&](const Case& one) {
        work += space.work_of(one.dims);
        return at(one, "M") <= 3'000'000;
      },
      limit);
  EXPECT_TRUE(shrunk.exhausted);
  EXPECT_LE(work, limit.work);
  EXPECT_LT(at(shrunk.smallest, "M"), 8'388'613);
}

TEST(Shrinking, NeverTriesACaseTwice) {
  const auto cases = find_operation("gemm_fp4").cases(testing::common_tile());
  std::map<std::string, int> tries;
  std::uint64_t index = 0;
  while (at(case_at(cases, 1, index), "K") < 100) ++index;
  shrink(cases, 1, index, [&](const Case& c) {
    ++tries[to_line(c)];
    return at(c, "K") < 50;
  });
  for (const auto& [line, count] : tries) EXPECT_EQ(count, 1) << line;
}

TEST(Search, FindsTheFirstFailureAndCountsWhatItRan) {
  const auto cases = find_operation("dequantize_fp4").cases(testing::common_tile());
  const SearchResult none = search(cases, 1, 50, [](const Case&) { return true; });
  EXPECT_EQ(none.cases_run, 50U);
  EXPECT_FALSE(none.failure);
  const Case third = case_at(cases, 1, 3);
  const SearchResult found = search(cases, 1, 50, [&](const Case& c) { return c != third; });
  ASSERT_TRUE(found.failure);
  EXPECT_EQ(found.failure->index, 3U);
  EXPECT_EQ(found.cases_run, 4U);
  EXPECT_EQ(found.failure->shrunk.smallest, third) << "nothing simpler fails";
}

// What fails from a width on is shrunk to that width, in as many tries as it has bits.
TEST(Shrinking, HalvesALongSizeToTheSmallestThatFails) {
  const Operation& operation = find_operation("gemm_fp4");
  const CaseSpace space = operation.cases(testing::common_tile());
  Case failing = case_at(space, 1, 0);
  failing.dims["M"] = 9;
  failing.dims["N"] = 59'652'333;
  failing.dims["K"] = 72;
  std::size_t tries = 0;
  const auto shrunk = shrink_sizes_first(space, failing,
                                         [&](const Case& one) {
                                           ++tries;
                                           return one.dims.at("N") * one.dims.at("K") / 8 <= std::int64_t{1}
                                                                                                 << 24;
                                         },
                                         {80});
  EXPECT_EQ(shrunk.smallest.dims.at("M"), 1);
  EXPECT_GT(shrunk.smallest.dims.at("N") * shrunk.smallest.dims.at("K") / 8, std::int64_t{1} << 24);
  EXPECT_LT(shrunk.smallest.dims.at("N") * shrunk.smallest.dims.at("K") / 8, (std::int64_t{1} << 24) + 80);
  EXPECT_EQ(tries, shrunk.attempts);
  EXPECT_LE(tries, 80u);
}

RC_GTEST_PROP(Shrinking, EverySimplerCaseIsAnotherValidCase, ()) {
  const std::string name = *rc::gen::elementOf(operation_names());
  const Operation& operation = find_operation(name);
  const CaseSpace space = operation.cases(testing::common_tile());
  const Case test_case = space.draw(*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::inRange(0, 40));
  const std::vector<Case> simpler = space.shrinks(test_case);
  for (const Case& one : simpler) {
    RC_ASSERT(one != test_case);
    check_dims(operation.declaration(), one.dims);
    RC_ASSERT(find_named(operation.declaration().regimes, one.regime) != nullptr);
  }
  if (!simpler.empty()) operation.make_problem(*rc::gen::elementOf(simpler));
}

}  // namespace
}  // namespace assay::properties
