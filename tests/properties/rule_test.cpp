// What wrong elements share: synthetic faults over coordinates that overlap must come back as they were made.
#include "properties/diagnosis/rule.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>

namespace assay::properties {
namespace {

constexpr std::size_t kRows = 96, kColumns = 40, kK = 72;

/// Weights of 72 x 40 seen in 96 rows from k = 3 on, under tiles of 64 x 32 x 32, groups of 16 and codes that
/// follow from no coordinate.
ElementTable table_where(
    const std::function<bool(std::size_t k, std::size_t r, std::size_t c, int code)>& wrong) {
  std::vector<std::size_t> k_of_row(kRows);
  for (std::size_t r = 0; r < kRows; ++r) k_of_row[r] = (r + 3) % kK;
  ElementTable table;
  Coordinate code{"with code {}", "with code {}", {}, true},
      nibble{"in nibble {}", "in nibbles {}", {}, true};
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t c = 0; c < kColumns; ++c) {
      const auto drawn = static_cast<int>((k_of_row[r] * 40 + c) * 2654435761U >> 24 & 15U);
      code.of.push_back(drawn);
      nibble.of.push_back(static_cast<std::int64_t>(k_of_row[r] % 8));
      table.wrong.push_back(wrong(k_of_row[r], r, c, drawn) ? 1 : 0);
    }
  }
  table.coordinates = {code, nibble};
  for (auto& one : coordinates_along_k(k_of_row, kColumns, {kK, 32, 16, 0})) table.coordinates.push_back(one);
  for (auto& one : coordinates_of_place(kRows, kColumns, 64, 32)) table.coordinates.push_back(one);
  return table;
}

std::string words_where(
    const std::function<bool(std::size_t k, std::size_t r, std::size_t c, int code)>& wrong) {
  const ElementTable table = table_where(wrong);
  return in_words(find_rule(table), table);
}

RC_GTEST_PROP(Separate, OneNibbleIsNamed, ()) {
  const auto nibble = *rc::gen::inRange<std::size_t>(0, 8);
  RC_ASSERT(words_where([&](auto k, auto, auto, int) { return k % 8 == nibble; }) ==
            "in nibble " + std::to_string(nibble));
}

RC_GTEST_PROP(Separate, OneCodeIsNamed, ()) {
  const auto wrong = *rc::gen::inRange(0, 16);
  RC_ASSERT(words_where([&](auto, auto, auto, int code) { return code == wrong; }) ==
            "with code " + std::to_string(wrong));
}

RC_GTEST_PROP(Separate, CodeIsNamedThoughOnlySomeColumnsShowIt, ()) {
  // Values can hide a fault: two thirds of the elements with the code are right by chance.
  const auto wrong = *rc::gen::inRange(0, 16);
  RC_ASSERT(words_where([&](auto k, auto, auto c, int code) {
              return code == wrong && (k * 7 + c * 5) % 3 == 0;
            }).starts_with("with code " + std::to_string(wrong)));
}

TEST(Separate, PlacesAndRangesAreNamed) {
  EXPECT_EQ(words_where([](auto k, auto, auto, int) { return k >= 64; }), "in the last, partial K tile");
  EXPECT_EQ(words_where([](auto k, auto, auto, int) { return k / 16 == 2; }), "in group 2");
  EXPECT_EQ(words_where([](auto, auto r, auto, int) { return r % 64 >= 32; }), "in rows 32-63 of the tile");
  EXPECT_EQ(words_where([](auto, auto, auto c, int) { return c % 32 == 31; }), "in column 31 of the tile");
  EXPECT_EQ(words_where([](auto, auto, auto c, int) { return c + 1 == kColumns; }), "in the last column");
  EXPECT_EQ(words_where([](auto k, auto, auto, int) { return k % 32 >= 16 && k < 64; }),
            "in group 1 counted from the start of the K tile");
}

TEST(Separate, TwoCoordinatesTogetherAreBothNamed) {
  const std::string words =
      words_where([](auto, auto r, auto c, int) { return r % 64 >= 32 && c % 32 < 16; });
  EXPECT_NE(words.find("rows 32-63 of the tile"), std::string::npos) << words;
  EXPECT_NE(words.find("columns 0-15 of the tile"), std::string::npos) << words;
}

TEST(Separate, NothingIsNamedWhereNothingTells) {
  EXPECT_EQ(words_where([](auto, auto, auto, int) { return true; }), "");
  EXPECT_EQ(words_where([](auto, auto, auto, int) { return false; }), "");
  // Scattered without regard to any coordinate, a rule would have to list elements.
  EXPECT_EQ(words_where([](auto k, auto r, auto c, int) {
              return ((r * 40 + c + k) * 0x9E3779B97F4A7C15ULL >> 40) % 2 == 0;
            }),
            "");
}

TEST(Separate, WordsOfNamedValuesAreJoined) {
  ElementTable table;
  Coordinate kind{"kind {}",
                  "",
                  {},
                  false,
                  {"in cold", "in cases with damp", "in cases with dust", "in cases with heat"}};
  for (int i = 0; i < 60; ++i) {
    kind.of.push_back(i % 4);
    table.wrong.push_back(i % 2);
  }
  table.coordinates = {kind};
  EXPECT_EQ(in_words(find_rule(table), table), "in cases with damp or with heat");
  for (std::size_t i = 0; i < 60; ++i) table.wrong[i] = i % 4 != 2 ? 1 : 0;
  EXPECT_EQ(in_words(find_rule(table), table), "in all cases but those with dust");
}

TEST(Separate, ManyRunsOfStorersAreNoCause) {
  ElementTable table;
  Coordinate writer{"stored by simdgroup {}", "stored by simdgroups {}", {}, false, {}, true};
  for (int i = 0; i < 6400; ++i) {
    writer.of.push_back(i % 16);
    table.wrong.push_back(i % 16 < 4 || i % 16 == 7 ? 1 : 0);
  }
  table.coordinates = {writer};
  EXPECT_EQ(in_words(find_rule(table), table), "stored by simdgroups 0-3 or 7");
  for (std::size_t i = 0; i < table.wrong.size(); ++i) table.wrong[i] = i % 2;
  EXPECT_EQ(in_words(find_rule(table), table), "");
  table.coordinates[0].writer = false;
  EXPECT_EQ(in_words(find_rule(table), table), "stored by simdgroups 1-15 in steps of 2");
}

TEST(Coordinates, OfStorersAreThereWhereEveryWrongElementHasOne) {
  const std::vector<device::Writer> writers = {{0, 2}, {0, 3}, {}};
  EXPECT_TRUE(coordinates_of_storers({}, {1, 1, 0}).empty());
  EXPECT_TRUE(coordinates_of_storers(writers, {1, 0, 1}).empty());
  const auto found = coordinates_of_storers(writers, {1, 1, 0});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].one, "stored by simdgroup {}");
  EXPECT_EQ(found[0].of[1], 3);
  EXPECT_EQ(found[1].one, "stored by threadgroup {}");
}

TEST(Coordinates, OfSlicesFollowFromWholeTiles) {
  std::vector<std::size_t> k_of_row(72);
  for (std::size_t k = 0; k < 72; ++k) k_of_row[k] = k;
  // Five K tiles of 16 in two slices: three and two.
  const auto found = coordinates_along_k(k_of_row, 1, {72, 16, 0, 2});
  EXPECT_EQ(found[0].one, "in slice {} of K");
  EXPECT_EQ(found[0].of[47], 0);
  EXPECT_EQ(found[0].of[48], 1);
  EXPECT_EQ(found[1].names.at(1), "in the last slice of K");
  EXPECT_EQ(found[1].of[47], 0);
  EXPECT_EQ(found[1].of[48], 1);
  for (const auto& one : coordinates_along_k(k_of_row, 1, {72, 16, 0, 0}))
    EXPECT_EQ(one.one.find("slice"), std::string::npos);
}

TEST(Separate, TablesJoinOnTheCoordinatesThatBothHave) {
  ElementTable one = table_where([](auto k, auto, auto, int) { return k % 8 == 3; });
  ElementTable other = one;
  other.coordinates.erase(other.coordinates.begin());  // knows no codes
  const std::size_t elements = one.wrong.size();
  one.append(other);
  EXPECT_EQ(one.wrong.size(), 2 * elements);
  for (const Coordinate& coordinate : one.coordinates) {
    EXPECT_EQ(coordinate.of.size(), 2 * elements) << coordinate.one;
    EXPECT_NE(coordinate.one, "with code {}");
  }
  EXPECT_EQ(in_words(find_rule(one), one), "in nibble 3");
}

std::vector<std::string> parts_where(
    const std::function<bool(std::size_t k, std::size_t r, std::size_t c, int code)>& wrong) {
  ElementTable table = table_where(wrong);
  std::vector<std::string> parts;
  for (const Rule& rule : find_rules(table)) {
    parts.push_back(in_words(rule, table));
    table = without(table, rule);
  }
  return parts;
}

// A dominant fault must not hide the other: by one rule, no coordinate tells.
TEST(Separate, TwoFaultsAreTwoParts) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(parts_where([](auto k, auto, auto, int code) { return k % 8 == 3 || code == 9; }),
            (Words{"in nibble 3", "with code 9"}));
  EXPECT_EQ(parts_where([](auto, auto, auto c, int code) { return c % 32 >= 24 || code == 5; }),
            (Words{"in columns 24-31 of the tile", "with code 5"}));
}

TEST(Separate, OneFaultIsOnePart) {
  EXPECT_EQ(parts_where([](auto, auto, auto, int code) { return code == 9; }).size(), 1u);
  EXPECT_EQ(parts_where([](auto k, auto, auto c, int) { return (k * 40 + c) * 2654435761U >> 28 == 3; }),
            std::vector<std::string>{""})
      << "no coordinate tells";
}

}  // namespace
}  // namespace assay::properties
