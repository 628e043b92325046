// How what wrong elements hold follows from what they should hold.
#include "properties/diagnosis/wrong_values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>

namespace assay::properties {
namespace {

/// A row of wrong elements: what each got and should have got.
Comparison wrong_row(const std::vector<std::pair<double, double>>& got_and_expected) {
  Comparison seen;
  seen.tensor = "C";
  seen.shape = {1, got_and_expected.size()};
  seen.elements = got_and_expected.size();
  for (std::size_t i = 0; i < seen.elements; ++i) {
    WrongElement element;
    element.index = element.column = i;
    std::tie(element.got, element.expected) = got_and_expected[i];
    seen.wrong.push_back(element);
  }
  return seen;
}

/// A coordinate of column c: c / `width`.
ElementTable table_of(std::size_t columns, std::int64_t width) {
  ElementTable table;
  Coordinate half{"in half {}", "in halves {}", {}};
  for (std::size_t c = 0; c < columns; ++c) half.of.push_back(static_cast<std::int64_t>(c) / width);
  table.coordinates = {half};
  table.wrong.assign(columns, 1);
  return table;
}

std::string words(const Comparison& seen, std::int64_t width = 100) {
  return wrong_values_in_words({&seen}, table_of(seen.elements, width));
}

TEST(Relation, OfAllIsSaid) {
  EXPECT_EQ(words(wrong_row({{2, 4}, {-0.5, -1}, {8, 16}})), "They hold 0.5 times the expected value.");
  EXPECT_EQ(words(wrong_row({{0, 4}, {0, -1}})), "They hold 0.");
  EXPECT_EQ(words(wrong_row({{-4, 4}, {1, -1}})), "They hold the expected value with the wrong sign.");
  EXPECT_EQ(words(wrong_row({{NAN, 4}, {NAN, -1}})), "They hold NaN.");
}

TEST(Relation, OfElementsThatWereNeverWrittenIsThat) {
  auto seen = wrong_row({{NAN, 4}, {NAN, 2}});
  for (auto& element : seen.wrong) element.never_written = true;
  EXPECT_EQ(words(seen), "They were never written.");
}

TEST(Relation, OfNearlyAllIsEnough) {
  std::vector<std::pair<double, double>> row(40, {3, 1});
  row[7] = {5, 1};
  EXPECT_EQ(words(wrong_row(row)), "They hold 3 times the expected value.");
  for (std::size_t i = 10; i < 14; ++i) row[i] = {5, 1};
  EXPECT_EQ(words(wrong_row(row)), "");
}

TEST(Relation, ThatDiffersByACoordinateIsSaidByItsValues) {
  const auto seen = wrong_row({{0, 4}, {0, 2}, {6, 3}, {8, 4}});
  EXPECT_EQ(words(seen, 2), "Those in half 0 hold 0, and those in half 1 hold 2 times the expected value.");
}

TEST(Relation, OfNothingInCommonIsNotSaid) {
  EXPECT_EQ(words(wrong_row({{1, 4}, {5, 2}, {6, 3.5}, {8, 41}}), 2), "");
}

TEST(Relation, OneValueWhateverIsExpectedIsSaid) {
  EXPECT_EQ(words(wrong_row({{1, 4}, {1, 2}, {1, -3}})), "They hold 1, whatever is expected.");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(words(wrong_row({{infinity, 4}, {infinity, 2}})), "They hold inf, whatever is expected.");
  EXPECT_EQ(words(wrong_row({{1001, 1000}})), "They are within 0.5 % of the expected value.");
  EXPECT_EQ(words(wrong_row({{1, 4}})), "They hold 0.25 times the expected value.")
      << "one may do so by chance";
}

TEST(Relation, CountsElementsOfSeveralProbesInOrder) {
  const auto first = wrong_row({{0, 4}, {0, 2}}), second = wrong_row({{6, 3}, {8, 4}});
  EXPECT_EQ(wrong_values_in_words({&first, &second}, table_of(4, 2)),
            "Those in half 0 hold 0, and those in half 1 hold 2 times the expected value.");
}

}  // namespace
}  // namespace assay::properties
