// The width beside which a sample's wrong elements lie.
#include "properties/large/width_words.hpp"

#include <gtest/gtest.h>

namespace assay::properties {
namespace {

TEST(WidthWords, NameTheWidthBetweenRightAndWrong) {
  EXPECT_EQ(widths_in_words({0, 0, 1, 1}, {{"column", {3, 60000, 65536, 70000}, 0}}, "C[0,65536]"),
            "in the sample, every element with column below 2^16 is right (2 elements), and all others are "
            "wrong (2); the first wrong one is C[0,65536]");
}

TEST(WidthWords, NameAllThatTell) {
  EXPECT_EQ(
      widths_in_words(
          {0, 1},
          {{"column", {5, 6}, 0}, {"offset of B", {300, 600}, 4}, {"offset of scales", {600, 1024}, 2}},
          "C[0,6]"),
      "in the sample, every element with offset of B below 2^9, or with offset of scales below 2^10, is "
      "right (1 element), and all others are wrong (1); the first wrong one is C[0,6]");
}

TEST(WidthWords, CountBytesWhereElementsDoNotTell) {
  const std::uint64_t beyond = std::uint64_t{1} << 29;
  EXPECT_EQ(
      widths_in_words({0, 1}, {{"column", {5, 4}, 0}, {"offset of B", {beyond - 1, beyond}, 4}}, "C[0,4]"),
      "in the sample, every element with offset of B below 2^29 is right (1 element), and all others are "
      "wrong "
      "(1); the first wrong one is C[0,4]");
  EXPECT_EQ(widths_in_words({0, 1}, {{"offset of B", {40, 50}, 3}}, "C[0,4]"),
            "in the sample, every element with offset of B below 2^7 bytes is right (1 element), and all "
            "others are wrong (1); the first wrong one is C[0,4]");
}

TEST(WidthWords, SayThatThereIsNone) {
  EXPECT_EQ(widths_in_words({1, 0, 1}, {{"column", {3, 600, 900}, 0}}, "C[0,3]"),
            "in the sample, 2 of 3 elements are wrong, and no power of two separates their rows, columns or "
            "offsets from those of the right ones; the first is C[0,3]");
  EXPECT_EQ(widths_in_words({0, 1}, {{"column", {300, 400}, 0}}, "C[0,400]"),
            "in the sample, 1 of 2 elements are wrong, and no power of two separates their rows, columns or "
            "offsets from those of the right ones; the first is C[0,400]")
      << "400 is past 2^8, but so is 300";
}

}  // namespace
}  // namespace assay::properties
