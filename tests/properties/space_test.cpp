// Generators: edges first, then the middle, within the budget and what the kernel requires.
#include "properties/cases/space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "properties/cases/search.hpp"
#include "tests/properties/support.hpp"

namespace assay::properties {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<Case> first_cases(const std::string& operation, const KernelTraits& traits, std::uint64_t count,
                              std::uint64_t seed = 1) {
  const auto cases = find_operation(operation).cases(traits);
  std::vector<Case> drawn;
  for (std::uint64_t i = 0; i < count; ++i) drawn.push_back(case_at(cases, seed, i));
  return drawn;
}

std::int64_t volume(const Case& test_case) {
  std::int64_t product = 1;
  for (const Dimension& one : find_operation(test_case.operation).declaration().dimensions) {
    if (!one.is_choice()) product *= dim(test_case.dims, one.name);
  }
  return product;
}

TEST(Generator, FirstCasesWalkTheEdgesOfTheTile) {
  const auto cases = first_cases("gemm_fp4", testing::common_tile(), 9);
  const std::vector<std::array<std::int64_t, 3>> expected = {{1, 1, 1},    {63, 63, 31},   {64, 64, 32},
                                                             {65, 65, 33}, {129, 129, 65}, {7, 7, 7},
                                                             {8, 8, 8},    {9, 9, 9},      {17, 17, 17}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& dims = cases[i].dims;
    EXPECT_EQ((std::array{dim(dims, "M"), dim(dims, "N"), dim(dims, "K")}), expected[i]) << "case " << i;
  }
}

// A right kernel whose work grows with a choice ran out of time there.
TEST(Generator, AHugeSizeStandsBesideTheLeastOfWhatAddsWork) {
  OperationDeclaration top;
  top.name = "top";
  top.dimensions = {{.name = "M"},
                    {.name = "K", .choices = {16, 1, 5}, .closed = true, .adds_work = true},
                    {.name = "G", .choices = {7, 3}, .closed = true}};
  top.regimes = {{.name = "any", .about = "any"}};
  const CaseSpace space(top, {}, {});
  std::set<std::int64_t> beside, others;
  for (std::uint64_t i = 0; i < 4000; ++i) {  // the first hundred cases of forty runs
    const Case drawn = case_at(space, i / 100, i % 100);
    if (dim(drawn.dims, "M") <= 1 << 16) continue;
    beside.insert(dim(drawn.dims, "K"));
    others.insert(dim(drawn.dims, "G"));
  }
  EXPECT_EQ(beside, (std::set<std::int64_t>{1}));
  EXPECT_EQ(others, (std::set<std::int64_t>{3, 7}));
}

TEST(Nearest, KeepsToWhatIsRequired) {
  KernelTraits traits = testing::common_tile();
  traits.requirements["M"].max = 16;
  traits.requirements["K"].multiple = 48;
  traits.requirements["group_size"].one_of = {16, 64, 128};
  const Operation& gemm = find_operation("gemm_fp4");
  const Case near = gemm.cases(traits).nearest({{"M", 64}, {"N", 77}, {"K", 100}, {"group_size", 32}});
  EXPECT_EQ(near.dims, (Dims{{"M", 16}, {"N", 77}, {"K", 144}, {"group_size", 16}}));
  EXPECT_NO_THROW(gemm.make_problem(near));
}

TEST(Nearest, IsACaseOfEveryOperation) {
  for (const std::string& name : operation_names()) {
    const Operation& operation = find_operation(name);
    EXPECT_NO_THROW(operation.make_problem(operation.cases(testing::common_tile()).nearest({}))) << name;
  }
}

TEST(Generator, HundredCasesReachEveryEdgeRegimeAndCode) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Coverage coverage;
    const Operation& gemm = find_operation("gemm_fp4");
    for (const Case& test_case : first_cases("gemm_fp4", testing::common_tile(), 100, seed)) {
      cover_shape(gemm.declaration(), testing::common_tile().tile, test_case, coverage);
      gemm.cover(gemm.make_problem(test_case), coverage);
    }
    std::vector<std::string> wanted = gemm.wanted_coverage();
    for (const char* size : {"M", "N", "K"}) {
      for (const char* edge : {" = 1", " = 8", " = 8 - 1", " = 8 + 1", " = tile", " = tile - 1",
                               " = tile + 1", " > 2 tile", " % 8 != 0", " % tile != 0"}) {
        wanted.push_back(std::string(size) + edge);
      }
    }
    for (const char* edge : {"K = group_size", "K = group_size - 1", "K = group_size + 1", "K > 2 group_size",
                             "K % group_size != 0", "group_size = 8", "group_size = 16", "group_size = 32"}) {
      wanted.push_back(edge);
    }
    for (const Regime& regime : gemm.declaration().regimes) wanted.push_back("regime " + regime.name);
    EXPECT_THAT(coverage.missing(wanted), ::testing::IsEmpty()) << "seed " << seed;
  }
}

TEST(Generator, EveryGroupSizeFrom8To128IsDrawn) {
  std::set<std::int64_t> sizes;
  for (const Case& test_case : first_cases("dequantize_fp4", testing::common_tile(), 1000)) {
    if (dim(test_case.dims, "group_size") <= 128) sizes.insert(dim(test_case.dims, "group_size"));
  }
  EXPECT_EQ(sizes.size(), 16U);
  EXPECT_EQ(*sizes.begin(), 8);
  EXPECT_EQ(*sizes.rbegin(), 128);
}

TEST(Generator, StaysWithinTheBudgetAndUsesIt) {
  double total = 0;
  std::int64_t largest = 0;
  for (const Case& test_case : first_cases("gemm_fp4", testing::common_tile(), 1000)) {
    total += static_cast<double>(volume(test_case));
    largest = std::max(largest, volume(test_case));
  }
  EXPECT_LE(largest, Budget{}.longest);
  EXPECT_GT(largest, std::int64_t{1} << 20);
  EXPECT_LT(total / 1000, 0x1p18);
  EXPECT_GT(total / 1000, 0x1p15);
}

// Guards against indices and counters of 8 and 16 bits, and against what goes wrong only with many tiles or
// with choices larger than anybody tries: each of these is met in the first hundred cases, and shrinking
// leads back to small ones.
TEST(Generator, HundredCasesGoFarInEveryDirection) {
  const KernelTraits traits = testing::common_tile();
  const CaseSpace space = find_operation("gemm_fp4").cases(traits);
  constexpr std::int64_t kCounted = 65'536;
  std::set<std::string> met;
  for (const Case& test_case : first_cases("gemm_fp4", traits, 100)) {
    const auto of = [&](const char* name) { return dim(test_case.dims, name); };
    const auto words = (of("K") + 7) / 8 * of("N");
    const auto scales = (of("K") + of("group_size") - 1) / of("group_size") * of("N");
    if (of("M") * of("K") > kCounted) met.insert("A");
    if (of("M") * of("N") > kCounted) met.insert("C");
    if (words > kCounted) met.insert(of("K") > of("N") ? "B along K" : "B along N");
    if (scales > kCounted) met.insert("scales");
    for (const char* size : {"M", "N", "K"}) {
      if (of(size) > kCounted) met.insert(size);
    }
    if (of("K") > 256 * traits.tile.k) met.insert("K tiles");
    if (of("M") > 4 * traits.tile.m && of("N") > 5 * traits.tile.n) met.insert("tiles both ways");
    if (of("M") > 8 * traits.tile.m && of("N") > 4 * traits.tile.n) met.insert("tiles both ways, M");
    if (of("group_size") > 128 && of("K") > of("group_size")) met.insert("group_size");
    if (volume(test_case) > std::int64_t{1} << 21) {
      EXPECT_LT(volume(space.shrinks(test_case).front()), volume(test_case));
    }
  }
  EXPECT_EQ(met, (std::set<std::string>{"A", "B along K", "B along N", "C", "K tiles", "group_size", "scales",
                                        "tiles both ways", "tiles both ways, M"}))
      << "sizes that no 16 bits count are for planned cases (large_test)";
}

TEST(Generator, RareChoicesOfEveryOperationAreMet) {
  for (const std::string& name : operation_names()) {
    const Operation& operation = find_operation(name);
    std::set<std::pair<std::string, std::int64_t>> wanted, met;
    for (const Dimension& one : operation.declaration().dimensions) {
      for (const std::int64_t value : one.rare) wanted.insert({one.name, value});
    }
    for (const Case& test_case : first_cases(name, testing::common_tile(), 100)) {
      for (const auto& [dimension, value] : wanted) {
        if (dim(test_case.dims, dimension) == value) met.insert({dimension, value});
      }
    }
    EXPECT_EQ(met, wanted) << name;
  }
}

TEST(Generator, LargeTilesStillFitTheBudget) {
  KernelTraits traits = testing::common_tile();
  traits.tile = {256, 256, 128};
  bool beyond_one_tile = false;
  int far = 0;
  for (const Case& test_case : first_cases("gemm_fp4", traits, 300)) {
    EXPECT_LE(volume(test_case), Budget{}.longest);
    far += volume(test_case) > Budget{}.largest;
    beyond_one_tile |= dim(test_case.dims, "M") > 256 && dim(test_case.dims, "N") > 256;
  }
  EXPECT_TRUE(beyond_one_tile);
  EXPECT_LT(far, 60);
}

RC_GTEST_PROP(Generator, HonoursWhatTheKernelRequires, ()) {
  KernelTraits traits = testing::common_tile();
  traits.requirements["M"].max = 16;
  traits.requirements["N"].multiple = 24;
  traits.requirements["K"].min = 40;
  traits.requirements["K"].multiple = 32;
  traits.requirements["group_size"].one_of = {32, 64};
  const CaseSpace space = find_operation("gemm_fp4").cases(traits);
  const Case test_case = space.draw(*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::inRange(0, 100));
  std::vector<Case> all = space.shrinks(test_case);
  all.push_back(test_case);
  for (const Case& one : all) {
    RC_ASSERT(dim(one.dims, "M") <= 16);
    RC_ASSERT(dim(one.dims, "N") % 24 == 0);
    RC_ASSERT(dim(one.dims, "K") >= 64 && dim(one.dims, "K") % 32 == 0);
    RC_ASSERT(dim(one.dims, "group_size") == 32 || dim(one.dims, "group_size") == 64);
  }
}

TEST(Generator, RequirementsThatDoNotFitAreNamed) {
  const Operation& gemm = find_operation("gemm_fp4");
  KernelTraits unknown = testing::common_tile();
  unknown.requirements["Q"].max = 3;
  EXPECT_THAT([&] { gemm.cases(unknown); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("Q is no dimension")));
  KernelTraits empty = testing::common_tile();
  empty.requirements["M"] = {.min = 20, .max = 10, .multiple = 1, .one_of = {}};
  EXPECT_THAT([&] { gemm.cases(empty); }, ThrowsMessage<std::invalid_argument>(HasSubstr("no value of M")));
  KernelTraits odd = testing::common_tile();
  odd.requirements["group_size"].one_of = {12};
  EXPECT_THAT([&] { gemm.cases(odd); }, ThrowsMessage<std::invalid_argument>(HasSubstr("group_size")));
  KernelTraits huge = testing::common_tile();
  huge.requirements["M"].min = std::int64_t{1} << 62;
  EXPECT_THAT([&] { gemm.cases(huge); }, ThrowsMessage<std::invalid_argument>(HasSubstr("no value of M")));
}

TEST(Generator, GroupSizesBeyondTheUsualAreDrawnWhereAKernelAsksForThem) {
  KernelTraits traits = testing::common_tile();
  traits.requirements["group_size"].one_of = {256};
  for (const Case& test_case : first_cases("gemm_fp4", traits, 20))
    EXPECT_EQ(dim(test_case.dims, "group_size"), 256);
}

TEST(Generator, KernelsWithHalfAccumulatorsGetCasesThatCanBeJudged) {
  KernelTraits traits = testing::common_tile();
  traits.arithmetic.accumulate = Precision::half_precision;
  for (const char* name : {"gemm_fp4", "gemm_u4", "gemm_s4", "gemm_fp4_striped", "gemm_trellis"}) {
    const Operation& gemm = find_operation(name);
    for (const Case& test_case : first_cases(name, traits, 200)) {
      EXPECT_NO_THROW(gemm.expect(gemm.make_problem(test_case), traits.arithmetic)) << test_case;
    }
  }
}

TEST(Generator, TheSameSeedAndIndexGiveTheSameCase) {
  const auto once = first_cases("gemm_fp4", testing::common_tile(), 60, 9);
  const auto again = find_operation("gemm_fp4").cases(testing::common_tile());
  for (std::uint64_t i = 60; i-- > 0;) EXPECT_EQ(case_at(again, 9, i), once[i]) << "in any order";
  EXPECT_NE(case_at(again, 10, 30), once[30]);
}

}  // namespace
}  // namespace assay::properties
