// Operations with rANS weights: what is damaged and what is not, and lengths that follow from the values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "properties/operation.hpp"
#include "properties/rans_tensors.hpp"
#include "properties/search.hpp"
#include "tests/properties/support.hpp"

namespace assay::properties {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Case gemm(const std::string& regime, std::uint64_t seed, const verify::Dims& knobs = {}) {
  return {.operation = "rans_gemm",
          .dims = {{"batch", 2}, {"M", 130}, {"N", 70}, {"tile_rows", 64}, {"tile_cols", 64}, {"streams", 4}},
          .regime = regime,
          .knobs = knobs,
          .seed = seed};
}

// Every defect: in most cases some tile is damaged; what does not depend on it is right as it was.
TEST(RansDamage, SpoilsWhatDependsOnItAndNothingElse) {
  const Operation& operation = find_operation("rans_gemm");
  for (std::int64_t defect = 0; defect < 8; ++defect) {
    int damaged = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const verify::Problem problem = operation.make_problem(gemm("damaged", seed, {{"defect", defect}}));
      const auto spoilt = operation.expect(problem, {});
      // The same values, encoded anew.
      verify::Problem whole = problem;
      const auto exact = operation.make_problem(gemm("exact", seed));
      for (const char* name : {"freq", "stream_offset", "n_symbols", "checksums", "data"})
        input(whole, name) = input(exact, name);
      operation.settle_counts(whole);
      const auto right = operation.expect(whole, {});
      const auto& status = spoilt[1].value;
      damaged += std::count(status.begin(), status.end(), 1.0) > 0 ? 1 : 0;
      for (std::size_t i = 0; i < spoilt[0].value.size(); ++i) {
        const std::size_t first = i % 130 / 64 * 2;  // tile of the row
        if (status[first] == 0.0 && status[first + 1] == 0.0) {
          ASSERT_EQ(spoilt[0].low[i], right[0].low[i]) << defect << ", " << seed << ", " << i;
        } else {
          ASSERT_TRUE(std::isnan(spoilt[0].low[i])) << defect << ", " << seed << ", " << i;
        }
      }
    }
    EXPECT_GE(damaged, 15) << "defect " << defect;
  }
}

TEST(RansDamage, IsWantedAndReachedByEveryOperation) {
  for (const char* name : {"rans_decode", "rans_gemv", "rans_gemm"}) {
    const Operation& operation = find_operation(name);
    Coverage coverage;
    for (std::uint64_t i = 0; i < 60; ++i) {
      operation.cover(operation.make_problem(case_at(operation.cases(testing::common_tile()), 1, i)),
                      coverage);
    }
    EXPECT_THAT(coverage.missing(operation.wanted_coverage()), ::testing::IsEmpty()) << name;
    EXPECT_TRUE(coverage.has("given status: damaged tile"));
    EXPECT_TRUE(coverage.has("empty stream"));
  }
}

TEST(Counts, FollowFromTheValuesAndStandInNoCase) {
  const Operation& operation = find_operation("rans_gemm");
  EXPECT_THAT(operation.scalars(), ::testing::Contains("data_bytes"));
  EXPECT_EQ(to_line(case_at(operation.cases(testing::common_tile()), 1, 0)).find("data_bytes"),
            std::string::npos);
  verify::Problem problem = operation.make_problem(gemm("random", 1));
  EXPECT_EQ(extent(problem.dims, "data_bytes"), input(problem, "data").data.size());
  EXPECT_NO_THROW(operation.check_problem(problem));
  ++problem.dims["data_bytes"];
  EXPECT_THAT([&] { operation.check_problem(problem); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("data: has shape")));
  Case described = gemm("random", 1);
  described.dims["data_bytes"] = 7;
  EXPECT_THAT([&] { operation.make_problem(described); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("data_bytes=7")));
}

TEST(Counts, MoreSymbolsThanFitAreRefusedBeforeAnythingIsAllocated) {
  Case described = gemm("random", 1);
  described.dims["M"] = described.dims["N"] = 1 << 20;
  EXPECT_THAT([&] { find_operation("rans_gemm").make_problem(described); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("M=1048576 N=1048576")));
}

}  // namespace
}  // namespace assay::properties
