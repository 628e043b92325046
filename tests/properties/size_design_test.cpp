// Sizes by design: pairs and landmarks are there, cases stay small, and the seed changes values alone.
#include "properties/cases/size_design.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "properties/cases/search.hpp"
#include "tests/properties/support.hpp"

namespace assay::properties {
namespace {

SizeDesign design_of(const std::string& operation, const KernelTraits& traits, std::size_t most,
                     const std::vector<std::int64_t>& landmarks = {}) {
  return design_sizes(find_operation(operation).cases(traits), traits, landmarks, most);
}

TEST(SizeDesign, HasEachPairOfResiduesOfEachTwoSizes) {
  const auto design = design_of("gemm_fp4", testing::common_tile(), 160);
  for (const std::int64_t modulus : {2, 3, 4, 8}) {
    for (const auto& [a, b] : {std::pair{"M", "N"}, {"M", "K"}, {"N", "K"}}) {
      std::set<std::pair<std::int64_t, std::int64_t>> met;
      for (const Dims& dims : design.cases) met.insert({dim(dims, a) % modulus, dim(dims, b) % modulus});
      EXPECT_EQ(std::ssize(met), modulus * modulus) << a << ", " << b << " mod " << modulus;
    }
  }
}

// With room enough, nothing is left that a legal small case can have.
TEST(SizeDesign, HasEachResidueMod64AndEachPairMod16) {
  const auto design = design_of("gemm_fp4", testing::common_tile(), 2000);
  for (const char* const name : {"M", "N", "K"}) {
    std::set<std::int64_t> met;
    for (const Dims& dims : design.cases) met.insert(dim(dims, name) % 64);
    EXPECT_EQ(met.size(), 64U) << name;
  }
  std::set<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const Dims& dims : design.cases) pairs.insert({dim(dims, "M") % 16, dim(dims, "K") % 16});
  EXPECT_EQ(pairs.size(), 256U);
  const auto traits = testing::common_tile();
  EXPECT_EQ(design.pairs, pairs_of_small_cases(find_operation("gemm_fp4").cases(traits), traits, {}, design));
}

// 7 * 11 is one more than 76: neither size alone is near it.
TEST(SizeDesign, ProductsOfTwoDimensionsMeetLandmarks) {
  KernelTraits traits;
  traits.requirements["N"] = {.min = {}, .max = 24, .one_of = {}};
  const auto design = design_of("dequantize_fp4", traits, 160, {77});
  std::set<std::int64_t> met;
  for (const Dims& dims : design.cases) {
    const std::int64_t k = dim(dims, "K"), n = dim(dims, "N");
    if (k > 1 && n > 1) met.insert(k * n);
  }
  EXPECT_TRUE(met.contains(76) && met.contains(77) && met.contains(78));
  EXPECT_EQ(design.products, 3U);
}

// One size is at most 3: pairs with its other residues mod 8 cannot be, and are not counted.
TEST(SizeDesign, PairsThatNoLegalCaseHasAreNotCounted) {
  KernelTraits traits = testing::common_tile();
  const auto space = [&] { return find_operation("gemm_trellis").cases(traits); };
  const auto all = pairs_of_small_cases(space(), traits, {}, {});
  traits.requirements["bits"] = {.min = {}, .max = 2, .one_of = {}};
  const auto few = pairs_of_small_cases(space(), traits, {}, {});
  EXPECT_LT(few, all);
  const auto design = design_sizes(space(), traits, {}, 5000);
  EXPECT_EQ(design.pairs, pairs_of_small_cases(space(), traits, {}, design));
}

TEST(SizeDesign, HasTripleResiduesAndPairsOfTiles) {
  const auto traits = testing::common_tile();
  const auto design = design_of("gemm_fp4", traits, 160);
  std::set<std::array<std::int64_t, 3>> parities;
  std::set<std::int64_t> tiles_of_k;
  for (const Dims& dims : design.cases) {
    parities.insert({dim(dims, "M") % 2, dim(dims, "N") % 2, dim(dims, "K") % 2});
    tiles_of_k.insert((dim(dims, "K") + traits.tile.k - 1) / traits.tile.k);
  }
  EXPECT_EQ(parities.size(), 8U);
  for (std::int64_t tiles = 1; tiles <= 9; ++tiles) EXPECT_TRUE(tiles_of_k.contains(tiles)) << tiles;
}

// What one mode of a run has begins where that of another ends, whatever lies between the designed cases.
TEST(SizeDesign, IsSharedByPartsThatHaveNothingInCommonAndLeaveNothingOut) {
  constexpr std::uint64_t kCases = 120;
  const std::size_t each = designed_among(kCases), without_far = designed_among(kCases, false);
  ASSERT_LT(each, without_far);
  const auto design = design_of("gemm_fp4", testing::common_tile(), 2 * each + without_far);
  ASSERT_EQ(design.cases.size(), 2 * each + without_far);
  std::set<const Dims*> seen;
  for (const DesignPart& part : {DesignPart{0, true}, {each, true}, {2 * each, false}}) {
    for (std::uint64_t index = 0; index < kCases; ++index) {
      const Dims* const dims = design.at(index, part);
      EXPECT_TRUE(dims == nullptr || seen.insert(dims).second) << index;
      EXPECT_FALSE(design.why_of(index, part).empty()) << index;
    }
  }
  EXPECT_EQ(seen.size(), design.cases.size());
}

TEST(SizeDesign, ALimitStandsBesideAWholeTileOfAnotherSize) {
  KernelTraits traits = testing::common_tile();
  traits.requirements["M"] = {.min = {}, .max = 1024, .one_of = {}};
  const auto design = design_of("gemm_fp4", traits, 160);
  EXPECT_TRUE(std::any_of(design.cases.begin(), design.cases.end(), [&](const Dims& dims) {
    return dim(dims, "M") == 1024 && dim(dims, "N") == traits.tile.n;
  }));
}

TEST(SizeDesign, ALandmarkIsMetWithItsNeighbours) {
  const auto design = design_of("dequantize_fp4", {}, 160, {77, 1000});
  for (const char* const name : {"K", "N"}) {
    for (const std::int64_t value : {76, 77, 78, 999, 1000, 1001}) {
      EXPECT_TRUE(std::any_of(design.cases.begin(), design.cases.end(),
                              [&](const Dims& dims) { return dim(dims, name) == value; }))
          << name << " = " << value;
    }
  }
}

TEST(SizeDesign, ALimitOfWhatAKernelTakesIsMet) {
  KernelTraits traits = testing::common_tile();
  traits.requirements["M"] = {.min = 3, .max = 21, .one_of = {}};
  const auto design = design_of("gemm_fp4", traits, 160);
  std::set<std::int64_t> met;
  for (const Dims& dims : design.cases) met.insert(dim(dims, "M"));
  EXPECT_EQ(*met.begin(), 3);
  EXPECT_EQ(*met.rbegin(), 21);
  EXPECT_TRUE(met.contains(4) && met.contains(20));
}

// Of every operation: legal, and small enough for a default run.
TEST(SizeDesign, IsLegalAndSmallForEveryOperation) {
  for (const std::string& name : operation_names()) {
    const Operation& operation = find_operation(name);
    const auto traits = testing::common_tile();
    const auto space = operation.cases(traits);
    const auto design = design_sizes(space, traits, {12, 100, 4096}, 100);
    EXPECT_GE(design.cases.size(), 20U) << name;
    EXPECT_LE(design.pairs, pairs_of_small_cases(space, traits, {12, 100, 4096}, design)) << name;
    for (const Dims& dims : design.cases) {
      ASSERT_TRUE(space.at(dims)) << name;
      EXPECT_LE(space.work_of(dims), std::max(0x1p23, 16 * space.work_of(space.nearest({}).dims))) << name;
    }
  }
}

TEST(SizeDesign, FewerCasesAreTheFirstOfMore) {
  const auto few = design_of("gemm_fp4", testing::common_tile(), 20, {40});
  const auto more = design_of("gemm_fp4", testing::common_tile(), 60, {40});
  ASSERT_EQ(few.cases.size(), 20U);
  EXPECT_TRUE(std::equal(few.cases.begin(), few.cases.end(), more.cases.begin()));
}

// Some choices are legal beside others alone: a level that is not becomes the largest that is.
TEST(SizeDesign, KeepsToWhatOneChoiceAllowsAnother) {
  const auto design = design_of("gemm_trellis", testing::common_tile(), 160);
  EXPECT_GT(design.cases.size(), 100U);
  for (const Dims& dims : design.cases)
    EXPECT_LE(dim(dims, "n_levels"), std::int64_t{1} << dim(dims, "bits"));
}

RC_GTEST_PROP(DesignedCases, TheSeedChangesValuesAlone, ()) {
  const auto space = find_operation("gemm_fp4").cases(testing::common_tile());
  const auto index = *rc::gen::inRange<std::uint64_t>(0, 200);
  const auto one = *rc::gen::arbitrary<std::uint32_t>(), other = *rc::gen::arbitrary<std::uint32_t>();
  Case a = designed_case(space, one, index, nullptr), b = designed_case(space, other, index, nullptr);
  if (one != other) RC_ASSERT(a.seed != b.seed);
  b.seed = a.seed;
  RC_ASSERT(a == b);
}

TEST(DesignedCases, EachNumberHasACase) {
  const auto design = design_of("gemm_fp4", testing::common_tile(), 50);
  std::size_t designed = 0;
  for (std::uint64_t i = 0; i < design.end(); ++i) {
    EXPECT_FALSE(design.why_of(i).empty()) << i;
    designed += design.at(i) != nullptr ? 1 : 0;
  }
  EXPECT_EQ(designed, 50U);
  EXPECT_EQ(design.at(design.end()), nullptr);
  EXPECT_EQ(designed_among(design.end()), 50U);
}

}  // namespace
}  // namespace assay::properties
