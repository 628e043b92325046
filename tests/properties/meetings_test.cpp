// Special values of two inputs that meet: each of eight with each, where the words say.
#include "properties/cases/meetings.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "properties/cases/planted.hpp"
#include "properties/cases/values_plan.hpp"
#include "tests/properties/support.hpp"

namespace assay::properties {
namespace {

std::vector<Case> meetings_of(const std::string& operation) {
  std::vector<Case> found;
  for (const Case& one : plan_values(find_operation(operation), testing::common_tile()).cases)
    if (one.regime == kMeetings) found.push_back(one);
  return found;
}

// Each row of A has a value in one place, each column of the scales likewise: an element of C is of one pair.
TEST(Meetings, OfAProductEachElementIsOfOnePair) {
  const auto cases = meetings_of("gemm_fp4");
  ASSERT_EQ(cases.size(), 1U);
  const Dims& dims = cases[0].dims;
  const Problem problem = find_operation("gemm_fp4").make_problem(cases[0]);
  const auto A = input(problem, "A").as<std::uint16_t>(),
             scales = input(problem, "scales").as<std::uint16_t>();
  const std::size_t K = extent(dims, "K"), N = extent(dims, "N"), at = K / 2;
  const std::size_t group = at / extent(dims, "group_size");
  std::set<std::pair<std::uint16_t, std::uint16_t>> pairs;
  const std::set<std::uint16_t> values = {0x0000, 0x8000, 0x3C00, 0xBC00, 0x0001, 0x7BFF, 0x7C00, 0x7E00};
  for (std::size_t m = 0; m < extent(dims, "M"); ++m) {
    for (std::size_t n = 0; n < N; ++n) {
      const std::uint16_t a = A[m * K + at], b = scales[group * N + n];
      if (values.contains(a) && values.contains(b)) pairs.insert({a, b});
    }
  }
  EXPECT_EQ(pairs.size(), 64U);
}

TEST(Meetings, AreOfEachTwoInputsWithPlantedValues) {
  EXPECT_EQ(meetings_of("gemm_u4").size(), 3U);  // A, scales and zeros
  EXPECT_TRUE(meetings_of("dequantize_fp4").empty());
  std::set<std::string> words;
  const auto* planned = find_planned(find_operation("gemm_u4").declaration(), kMeetings);
  ASSERT_NE(planned, nullptr);
  for (const auto& one : planned->regime.knobs.front().names) words.insert(one);
  EXPECT_TRUE(words.contains("A, zeros: special values that meet along K"));
}

// Scales and zeros have the same axes: each column is of one pair.
TEST(Meetings, OfInputsWithTheSameLinesEachPairStandsAtOnePlace) {
  std::set<std::pair<std::uint16_t, std::uint16_t>> pairs;
  for (const Case& one : meetings_of("gemm_u4")) {
    const Problem problem = find_operation("gemm_u4").make_problem(one);
    ASSERT_NO_THROW(find_operation("gemm_u4").expect(problem, {})) << to_line(one);
    Coverage words;
    cover_planned(find_operation("gemm_u4").declaration(), one, words);
    if (!words.has("scales, zeros: special values that meet along N")) continue;
    const auto scales = input(problem, "scales").as<std::uint16_t>();
    const auto zeros = input(problem, "zeros").as<std::uint16_t>();
    for (std::size_t i = 0; i < scales.size(); ++i) pairs.insert({scales[i], zeros[i]});
  }
  const std::set<std::uint16_t> values = {0x0000, 0x8000, 0x3C00, 0xBC00, 0x0001, 0x7BFF, 0x7C00, 0x7E00};
  for (const std::uint16_t a : values)
    for (const std::uint16_t b : values) EXPECT_TRUE(pairs.contains({a, b})) << a << ", " << b;
}

}  // namespace
}  // namespace assay::properties
