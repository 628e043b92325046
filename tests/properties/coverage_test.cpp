// What inputs reach, beyond codes and shapes: special values, and how slices share K.
#include "properties/cases/coverage.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "properties/cases/operation.hpp"
#include "properties/cases/search.hpp"
#include "tests/properties/support.hpp"

namespace assay::properties {
namespace {

using ::testing::Contains;
using ::testing::Not;

std::vector<std::string> tags(const Coverage& coverage) {
  std::vector<std::string> all;
  for (const auto& [tag, count] : coverage.reached()) all.push_back(tag);
  return all;
}

TEST(CoverValues, SpecialOnesAreCountedByTensor) {
  Problem problem;
  problem.inputs = {assay::make_tensor("A", DType::f16, {8}), assay::make_tensor("g", DType::f32, {4}),
                    assay::make_tensor("ids", DType::u32, {2})};
  const std::vector<std::uint16_t> halves = {0x7C00, 0xFC00, 0x7E01, 0x8000, 0x0000, 0x0001, 0xFBFF, 0x3C00};
  std::copy(halves.begin(), halves.end(), problem.inputs[0].as<std::uint16_t>().begin());
  const std::vector<float> floats = {0x1p-127F, 0x1p-126F, 0x1p-14F, 65504.0F};
  std::copy(floats.begin(), floats.end(), problem.inputs[1].as<float>().begin());
  Coverage coverage;
  cover_values(problem, coverage);
  const std::map<std::string, std::uint64_t> expected = {
      {"A: infinity", 1},  {"A: -infinity", 1},      {"A: NaN", 1},      {"A: -0", 1}, {"A: 0", 1},
      {"A: subnormal", 1}, {"A: largest finite", 1}, {"g: subnormal", 1}};
  EXPECT_EQ(coverage.reached(), expected);
}

TEST(CoverValues, CasesOfAProductReachThemAll) {
  const Operation& operation = find_operation("gemm_u4");
  const auto traits = testing::common_tile();
  const auto cases = operation.cases(traits);
  Coverage coverage;
  for (std::uint64_t i = 0; i < 200; ++i)
    cover_values(operation.make_problem(case_at(cases, 1, i)), coverage);
  for (const char* tensor : {"A", "scales"}) {
    for (const char* what : {"NaN", "infinity", "-infinity", "-0", "subnormal"})
      EXPECT_TRUE(coverage.has(std::string(tensor) + ": " + what)) << tensor << ": " << what;
  }
}

std::vector<std::string> slices(std::int64_t K, std::int64_t parallel) {
  const Operation& operation = find_operation("gemm_fp4_striped");
  const Case test_case = {
      .operation = "gemm_fp4_striped",
      .dims = {{"M", 8}, {"N", 8}, {"K", K}, {"group_size", 8}, {"parallel", parallel}, {"threadgroups", 1}},
      .regime = "constant",
      .knobs = {},
      .seed = 0};
  Coverage coverage;
  cover_shape(operation.declaration(), {64, 64, 32}, test_case, coverage);
  return tags(coverage);
}

TEST(CoverShape, TellsHowSlicesShareK) {
  EXPECT_THAT(slices(96, 1), Contains("one slice"));
  EXPECT_THAT(slices(96, 1), Not(Contains("several slices of K")));
  EXPECT_THAT(slices(96, 3), Contains("several slices of K"));
  EXPECT_THAT(slices(96, 3), Not(Contains("slice without a K tile")));
  EXPECT_THAT(slices(96, 5), Contains("slice without a K tile"));
  EXPECT_THAT(slices(96, 2), Contains("last slice shorter than the others"));
  EXPECT_THAT(slices(128, 2), Not(Contains("last slice shorter than the others")));
  EXPECT_THAT(slices(128, 2), Contains("slice of several K tiles"));
}

}  // namespace
}  // namespace assay::properties
