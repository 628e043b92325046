// What wrong elements share: synthetic faults over coordinates that overlap must come back as they were made.
#include "properties/separate.hpp"

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
  Coordinate code{"code {}", "codes {}", {}, true}, nibble{"nibble {}", "nibbles {}", {}, true};
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
  return in_words(separate(table), table);
}

RC_GTEST_PROP(Separate, OneNibbleIsNamed, ()) {
  const auto nibble = *rc::gen::inRange<std::size_t>(0, 8);
  RC_ASSERT(words_where([&](auto k, auto, auto, int) { return k % 8 == nibble; }) ==
            "nibble " + std::to_string(nibble));
}

RC_GTEST_PROP(Separate, OneCodeIsNamed, ()) {
  const auto wrong = *rc::gen::inRange(0, 16);
  RC_ASSERT(words_where([&](auto, auto, auto, int code) { return code == wrong; }) ==
            "code " + std::to_string(wrong));
}

RC_GTEST_PROP(Separate, CodeIsNamedThoughOnlySomeColumnsShowIt, ()) {
  // Values can hide a fault: two thirds of the elements with the code are right by chance.
  const auto wrong = *rc::gen::inRange(0, 16);
  RC_ASSERT(words_where([&](auto k, auto, auto c, int code) {
              return code == wrong && (k * 7 + c * 5) % 3 == 0;
            }).starts_with("code " + std::to_string(wrong)));
}

TEST(Separate, PlacesAndRangesAreNamed) {
  EXPECT_EQ(words_where([](auto k, auto, auto, int) { return k >= 64; }), "the last, partial K tile");
  EXPECT_EQ(words_where([](auto k, auto, auto, int) { return k / 16 == 2; }), "group 2");
  EXPECT_EQ(words_where([](auto, auto r, auto, int) { return r % 64 >= 32; }), "rows 32-63 of the tile");
  EXPECT_EQ(words_where([](auto, auto, auto c, int) { return c % 32 == 31; }), "column 31 of the tile");
  EXPECT_EQ(words_where([](auto, auto, auto c, int) { return c + 1 == kColumns; }), "the last column");
  EXPECT_EQ(words_where([](auto k, auto, auto, int) { return k % 32 >= 16 && k < 64; }),
            "group 1 counted from the start of the K tile");
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

TEST(Separate, TablesJoinOnTheCoordinatesThatBothHave) {
  ElementTable one = table_where([](auto k, auto, auto, int) { return k % 8 == 3; });
  ElementTable other = one;
  other.coordinates.erase(other.coordinates.begin());  // knows no codes
  const std::size_t elements = one.wrong.size();
  one.append(other);
  EXPECT_EQ(one.wrong.size(), 2 * elements);
  for (const Coordinate& coordinate : one.coordinates) {
    EXPECT_EQ(coordinate.of.size(), 2 * elements) << coordinate.one;
    EXPECT_NE(coordinate.one, "code {}");
  }
  EXPECT_EQ(in_words(separate(one), one), "nibble 3");
}

}  // namespace
}  // namespace assay::properties
