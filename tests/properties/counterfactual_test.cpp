// Other problems and other orders of the answers: what is offered, and when one explains a result.
#include "properties/diagnosis/counterfactual.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <set>

#include "properties/cases/operation.hpp"
#include "properties/operations/products/group_counterfactuals.hpp"
#include "tests/properties/support.hpp"

namespace assay::properties {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Tensor floats(const std::string& name, std::vector<std::size_t> shape, std::vector<float> values) {
  auto tensor = assay::make_tensor(name, DType::f32, std::move(shape));
  std::copy(values.begin(), values.end(), tensor.as<float>().begin());
  return tensor;
}

Problem problem_of(std::vector<Tensor> inputs) {
  return {.operation = "any", .dims = {}, .inputs = std::move(inputs), .outputs = {}};
}

/// What tensor number `which` holds in the counterfactual of those words; nothing where it is not offered.
std::vector<float> held(const Problem& problem, const std::string& words, std::size_t which = 0) {
  for (const auto& one : counterfactuals_of(problem)) {
    if (one.words != words) continue;
    const auto values = one.problem.inputs.at(which).as<float>();
    return {values.begin(), values.end()};
  }
  return {};
}

using Floats = std::vector<float>;

TEST(Counterfactuals, ChangeOneThingOfOneTensor) {
  const auto problem =
      problem_of({floats("s", {2, 3}, {1.5F, -2, 3, -4.25F, 5, 6}), floats("t", {2}, {7, 8})});
  EXPECT_EQ(held(problem, "s were all 1"), Floats(6, 1));
  EXPECT_EQ(held(problem, "s were all 0"), Floats(6, 0));
  EXPECT_EQ(held(problem, "s had no signs"), (Floats{1.5F, 2, 3, 4.25F, 5, 6}));
  EXPECT_EQ(held(problem, "s were rounded to integers"), (Floats{2, -2, 3, -4, 5, 6}));
  EXPECT_EQ(held(problem, "s had their first row in every row"), (Floats{1.5F, -2, 3, 1.5F, -2, 3}));
  EXPECT_EQ(held(problem, "neighbouring columns of s were exchanged"), (Floats{-2, 1.5F, 3, 5, -4.25F, 6}));
  for (const auto& one : counterfactuals_of(problem)) {
    const bool of_s = one.words.find("s ") != std::string::npos && one.words.find("t ") != 0;
    EXPECT_EQ(one.problem.inputs[of_s ? 1 : 0].data, problem.inputs[of_s ? 1 : 0].data) << one.words;
  }
}

TEST(Counterfactuals, ThatChangeNothingAreNotOffered) {
  const auto problem = problem_of({floats("s", {2, 2}, {1, 1, 1, 1})});
  EXPECT_TRUE(held(problem, "s were all 1").empty());
  EXPECT_TRUE(held(problem, "s had no signs").empty());
  EXPECT_TRUE(held(problem, "neighbouring columns of s were exchanged").empty());
  EXPECT_FALSE(held(problem, "s were all 0").empty());
}

TEST(Counterfactuals, TensorsThatEndAlikeAreChangedTogether) {
  const auto problem =
      problem_of({floats("up_grid", {2, 2}, {1, 2, 3, 4}), floats("bias", {2, 2}, {5, 6, 7, 8}),
                  floats("gate_grid", {2, 1}, {9, 10})});
  const std::string words = "*_grid had their first row in every row";
  EXPECT_EQ(held(problem, words, 0), (Floats{1, 2, 1, 2}));
  EXPECT_EQ(held(problem, words, 1), (Floats{5, 6, 7, 8}));
  EXPECT_EQ(held(problem, words, 2), (Floats{9, 9}));
  EXPECT_EQ(held(problem, "*_grid had their first column in every column", 0), (Floats{1, 1, 3, 3}));
}

TEST(Counterfactuals, TensorsOfOneShapeAreExchangedAndMultiplied) {
  const auto problem =
      problem_of({floats("s", {2}, {2, 3}), floats("z", {2}, {5, 7}), floats("t", {1}, {9})});
  EXPECT_EQ(held(problem, "s and z were exchanged", 0), (Floats{5, 7}));
  EXPECT_EQ(held(problem, "s and z were exchanged", 1), (Floats{2, 3}));
  EXPECT_EQ(held(problem, "z were multiplied by s", 1), (Floats{10, 21}));
  EXPECT_EQ(held(problem, "s were multiplied by z", 0), (Floats{10, 21}));
  EXPECT_TRUE(held(problem, "s and t were exchanged").empty());
}

TEST(Counterfactuals, TensorsThatEndAlikeAreExchangedTogether) {
  const auto problem = problem_of({floats("up_a", {2}, {1, 2}), floats("up_b", {1}, {3}),
                                   floats("gate_a", {2}, {4, 5}), floats("gate_b", {1}, {6})});
  const std::string words = "up_* and gate_* were exchanged";
  EXPECT_EQ(held(problem, words, 0), (Floats{4, 5}));
  EXPECT_EQ(held(problem, words, 1), (Floats{6}));
  EXPECT_EQ(held(problem, words, 2), (Floats{1, 2}));
  auto other = problem;
  other.inputs[3] = floats("gate_b", {2}, {6, 7});  // of another shape
  EXPECT_TRUE(held(other, words).empty());
}

/// 1, 2, 3, ... in rows of `columns`.
Expectation counted(std::size_t count) {
  Expectation expected;
  expected.tensor = "C";
  for (std::size_t i = 0; i < count; ++i) expected.value.push_back(static_cast<double>(i + 1));
  expected.low = expected.high = expected.value;
  return expected;
}

std::vector<double> reordered(const std::string& words, std::size_t rows, std::size_t columns) {
  for (const auto& one : reorderings_of(counted(rows * columns), {rows, columns})) {
    if (one.words == "in C " + words) return one.expected.low;
  }
  return {};
}

TEST(Reorderings, MoveAnswersAndKeepThoseWithoutPartner) {
  EXPECT_EQ(reordered("neighbouring columns were exchanged (column c xor 1)", 1, 5),
            (std::vector<double>{2, 1, 4, 3, 5}));
  EXPECT_EQ(reordered("neighbouring rows were exchanged (row r xor 1)", 3, 1),
            (std::vector<double>{2, 1, 3}));
  EXPECT_EQ(reordered("columns were reversed within each 8", 1, 9),
            (std::vector<double>{8, 7, 6, 5, 4, 3, 2, 1, 9}));
  const auto transposed = reordered("8 x 8 pieces were transposed", 8, 16);
  ASSERT_EQ(transposed.size(), 128U);
  EXPECT_EQ(transposed[1], 17);           // (0, 1) holds what belongs to (1, 0)
  EXPECT_EQ(transposed[16 + 8 + 2], 42);  // (1, 10) holds what belongs to (2, 9): each piece by itself
}

Comparison compared(const std::vector<float>& got, const Expectation& expected) {
  return assay::compare(floats("C", {got.size()}, got), expected);
}

TEST(Explains, WhereEveryElementIsRightForTheOther) {
  const auto expected = counted(4);
  auto other = expected;
  other.low[2] = other.high[2] = 7;
  EXPECT_TRUE(explains(compared({1, 2, 7, 4}, expected), expected, other));
  EXPECT_FALSE(explains(compared({1, 2, 8, 4}, expected), expected, other)) << "a wrong element is another";
  EXPECT_FALSE(explains(compared({9, 2, 7, 4}, expected), expected, other)) << "one more is wrong";
  EXPECT_FALSE(explains(compared({1, 2, 3, 4}, expected), expected, other)) << "nothing is wrong";
  other.low[0] = other.high[0] = 5;
  EXPECT_FALSE(explains(compared({1, 2, 7, 4}, expected), expected, other)) << "a right one should not be";
}

TEST(Explains, NanOnlyByNan) {
  const auto expected = counted(2);
  auto other = expected;
  other.value[1] = other.low[1] = other.high[1] = kNan;
  EXPECT_TRUE(explains(compared({1, std::numeric_limits<float>::quiet_NaN()}, expected), expected, other));
  EXPECT_FALSE(explains(compared({1, 5}, expected), expected, other));
  EXPECT_FALSE(explains(compared({3, 2}, expected), expected, other));
}

TEST(Tells, OnlyWhatExpectsANumber) {
  const auto expected = counted(2);
  auto other = expected;
  const auto seen = compared({5, 2}, expected);
  other.low[0] = other.high[0] = 5;
  EXPECT_TRUE(tells(seen, other));
  other.low[0] = 1, other.high[0] = 4e9;  // anything
  EXPECT_FALSE(tells(seen, other));
  other.low[0] = other.high[0] = kNan;
  EXPECT_FALSE(tells(seen, other));
}

/// Whether one of the counterfactuals of those words has these values, group size 8 and tensor number
/// `which`.
Floats of_groups(const std::string& words, std::size_t K, std::size_t group_size) {
  const std::size_t groups = (K + group_size - 1) / group_size;
  auto problem = problem_of({floats("s", {groups, 1}, {})});
  for (std::size_t g = 0; g < groups; ++g) problem.inputs[0].as<float>()[g] = static_cast<float>(g);
  problem.dims["group_size"] = static_cast<std::int64_t>(group_size);
  for (const auto& one :
       group_counterfactuals(problem, {{"s", "absent"}, K, 1, group_size, {{32, "K tile"}}})) {
    if (one.words != words) continue;
    EXPECT_EQ(one.problem.dims.at("group_size"), 8);
    const auto values = one.problem.inputs[0].as<float>();
    return {values.begin(), values.end()};
  }
  return {};
}

TEST(GroupCounterfactuals, GiveEachEightTheValuesOfAnotherGroup) {
  EXPECT_EQ(of_groups("s were those of the next group", 56, 24), (Floats{1, 1, 1, 2, 2, 2, 2}));
  EXPECT_EQ(of_groups("s were those of the group before", 56, 24), (Floats{0, 0, 0, 0, 0, 0, 1}));
  const std::string start =
      "s were those of the group in which the K tile starts (k rounded down to the K tile)";
  EXPECT_EQ(of_groups(start, 56, 24), (Floats{0, 0, 0, 0, 1, 1, 1}));
  EXPECT_TRUE(of_groups(start, 128, 64).empty());  // no group begins inside a tile
}

TEST(TrellisCounterfactuals, AreProblemsWithOtherWeightsOfTheSameShape) {
  const Operation& operation = find_operation("dequantize_trellis");
  const Case asked = {.operation = "dequantize_trellis",
                      .dims = {{"K", 40}, {"N", 40}, {"group_size", 8}, {"bits", 3}, {"n_levels", 5}},
                      .regime = "random",
                      .knobs = {},
                      .seed = 3};
  const auto problem = operation.make_problem(asked);
  std::set<std::string> words;
  for (const auto& one : operation.counterfactuals(problem, {})) {
    words.insert(one.words);
    EXPECT_NO_THROW(operation.check_problem(one.problem)) << one.words;
    EXPECT_NE(operation.expect(one.problem, {}).front().low, operation.expect(problem, {}).front().low)
        << one.words;
  }
  for (const char* one :
       {"indices stood in each byte from its highest bit down", "indices had no bits in the next byte",
        "the elements of each 16 x 16 tile stood along its columns", "the 16 x 16 tiles stood along columns",
        "indices past the grid were those of the last level", "scales were those of the next group"}) {
    EXPECT_TRUE(words.contains(one)) << one;
  }
}

TEST(Explains, NothingThatWasNotWritten) {
  const auto expected = counted(1);
  auto seen = compared({5}, expected);
  auto other = expected;
  other.low[0] = other.high[0] = 5;
  EXPECT_TRUE(explains(seen, expected, other));
  seen.never_written = 1;
  EXPECT_FALSE(explains(seen, expected, other));
}

}  // namespace
}  // namespace assay::properties
