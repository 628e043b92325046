// NaN in what no answer depends on: masked, past a length, of nobody; and nowhere else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "properties/stated/unread.hpp"

namespace assay::properties {
namespace {

constexpr std::size_t kRows = 4, kColumns = 6;

StatedOperation operation_of(std::vector<std::string> never = {}) {
  StatedOperation stated;
  stated.name = "sums";
  stated.reference = "reference.cpp";
  StatedTensor x;
  x.name = "x";
  x.dtype = DType::f32;
  x.values.kind = StatedValues::Kind::normal;
  x.never = std::move(never);
  stated.tensors = {x};
  return stated;
}

Problem ones() {
  Problem problem;
  problem.inputs.push_back(make_tensor("x", DType::f32, {kRows, kColumns}));
  std::ranges::fill(problem.inputs[0].as<float>(), 1.0F);
  return problem;
}

using RowRule = std::function<double(const float* row, std::size_t number)>;

/// Rows and columns that hold NaN behind spoil_unread(), as text: a line a row.
std::string spoilt(const RowRule& rule, const StatedOperation& stated = operation_of(),
                   std::int64_t knob = 0) {
  Problem problem = ones();
  spoil_unread(stated, knob, problem, [&](const Problem& changed) {
    Expectation right;
    const auto x = changed.inputs[0].as<float>();
    for (std::size_t row = 0; row < kRows; ++row) right.value.push_back(rule(x.data() + row * kColumns, row));
    right.low = right.high = right.value;
    return std::vector{right};
  });
  std::string text;
  const auto x = problem.inputs[0].as<float>();
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_TRUE(std::isnan(x[i]) || x[i] == 1.0F);
    text += std::isnan(x[i]) ? 'N' : '.';
    if (i % kColumns == kColumns - 1) text += '\n';
  }
  return text;
}

double sum_of(const float* row, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += static_cast<double>(row[i]);
  return sum;
}

TEST(Unread, IsWhatLiesPastALength) {
  EXPECT_EQ(spoilt([](const float* row, std::size_t number) { return sum_of(row, 2 * number); }),
            "NNNNNN\n..NNNN\n....NN\n......\n");
  EXPECT_EQ(spoilt([](const float* row, std::size_t) { return sum_of(row, kColumns); }),
            "......\n......\n......\n......\n");
  EXPECT_EQ(spoilt([](const float*, std::size_t) { return 7.0; }), "NNNNNN\nNNNNNN\nNNNNNN\nNNNNNN\n");
}

// What a rule reads and passes over where it is NaN, as a maximum does, is not unread.
TEST(Unread, IsNotWhatAMaximumPassesOver) {
  EXPECT_EQ(spoilt([](const float* row, std::size_t) {
              return static_cast<double>(std::fmax(row[0], row[1]) + std::fmin(row[2], row[3]));
            }),
            "....NN\n....NN\n....NN\n....NN\n");
}

TEST(Unread, IsLeftAsItIsWhereTheAnswerFails) {
  EXPECT_EQ(spoilt([](const float* row, std::size_t) {
              return std::isfinite(row[3]) ? sum_of(row, 2) : throw std::runtime_error("no");
            }),
            "..N.NN\n..N.NN\n..N.NN\n..N.NN\n");
}

TEST(Unread, IsDeclaredForInputsThatMayHoldNaN) {
  OperationDeclaration declared;
  declare_unread(operation_of({"NaN"}), declared);
  EXPECT_TRUE(declared.planned.empty());
  declare_unread(operation_of({"infinity"}), declared);
  ASSERT_EQ(declared.planned.size(), 1U);
  EXPECT_EQ(declared.planned[0].regime.knobs[0].names.size(), 1U);
  EXPECT_EQ(spoilt([](const float*, std::size_t) { return 7.0; }, operation_of(), 5),
            spoilt([](const float* row, std::size_t) { return sum_of(row, kColumns); }));
}

}  // namespace
}  // namespace assay::properties
