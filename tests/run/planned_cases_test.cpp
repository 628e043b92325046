// What a run has beside the cases that are drawn: the shapes of the manifest, and large cases.
#include "harness/run/planned_cases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "properties/large/large_problem.hpp"
#include "properties/large/shape_cases.hpp"
#include "tests/large/entries.hpp"

namespace assay::run {
namespace {

using properties::testing::gemm_entry;
using ::testing::Contains;
using ::testing::Not;

std::size_t cases_of_shape(const PlannedCases& planned, std::uint64_t budget) {
  return static_cast<std::size_t>(
      std::count_if(planned.cases.begin(), planned.cases.end(), [&](const properties::Case& one) {
        return one.dims.at("M") == 3 && one.dims.at("N") == 4096 && one.dims.at("K") == 4096 &&
               one.budget == budget;
      }));
}

TEST(PlannedCases, HoldTheShapesOfTheManifest) {
  const auto entry = gemm_entry("\"tiles\"", "shapes = [{ M = 3, N = 4096, K = 4096 }]\n");
  for (const Mode mode : {Mode::fast, Mode::checked}) {
    const auto planned = planned_cases(entry, mode, {});
    EXPECT_EQ(cases_of_shape(planned, 1), 2u) << "integers and ordinary values";
    EXPECT_THAT(planned.wanted, Contains("shape K=4096 M=3 N=4096"));
  }
  EXPECT_TRUE(planned_cases(entry, Mode::reassociated, {}).cases.empty());
  EXPECT_THAT(planned_cases(gemm_entry("\"tiles\""), Mode::fast, {}).wanted,
              Not(Contains("shape K=4096 M=3 N=4096")));
}

TEST(PlannedCases, HaveTheBudgetThatIsAskedFor) {
  VerifyOptions options;
  options.budget = 9;
  const auto planned = planned_cases(gemm_entry("\"tiles\"", "shapes = [{ M = 3, N = 4096, K = 4096 }]\n"),
                                     Mode::fast, options);
  EXPECT_EQ(cases_of_shape(planned, 9), 2u);
  const auto& gemm = properties::find_operation("gemm_fp4").declaration();
  for (const auto& one : planned.cases) EXPECT_EQ(one.budget, properties::is_large(gemm, one.dims) ? 9u : 1u);
}

TEST(PlannedCases, AShapeIsReachedByItsDimensionsAlone) {
  const auto entry = gemm_entry("\"tiles\"", "shapes = [{ M = 1, N = 4096 }]\n");
  EXPECT_EQ(properties::shape_tags(entry, {{"M", 1}, {"N", 4096}, {"K", 3}}),
            std::vector<std::string>{"shape M=1 N=4096"});
  EXPECT_TRUE(properties::shape_tags(entry, {{"M", 2}, {"N", 4096}, {"K", 3}}).empty());
}

}  // namespace
}  // namespace assay::run
