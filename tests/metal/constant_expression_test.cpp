#include "harness/metal/constant_expression.hpp"

#include <gtest/gtest.h>

namespace assay::metal {
namespace {

TEST(ConstantExpressions, AreWorkedOut) {
  const auto text = tokenize(
      "enum { kA, kB = 5, kC }; enum E : uint { kD = kC << 1, kE }; constant constexpr uint kF = kE + 1;",
      "x");
  IntegerConstants constants(text);
  const auto value = [&](const char* expression) { return constants.value(expression); };
  EXPECT_EQ(value("700 + 1"), 701);
  EXPECT_EQ(value("(2 + 3) * 4 - 1"), 19);
  EXPECT_EQ(value("0x10 | 1 << 3 >> 1"), 20);
  EXPECT_EQ(value("-~4 % 3"), 2);
  EXPECT_EQ(value("kA"), 0);
  EXPECT_EQ(value("kC"), 6);
  EXPECT_EQ(value("E::kE"), 13);
  EXPECT_EQ(value("kF"), 14);
  EXPECT_EQ(value("010u"), 8);
  EXPECT_EQ(value("kMissing"), std::nullopt);
  EXPECT_EQ(value("1 / 0"), std::nullopt);
  EXPECT_EQ(value("f(1)"), std::nullopt);
  EXPECT_EQ(value("1 +"), std::nullopt);
  EXPECT_EQ(value(""), std::nullopt);
}

// Of texts that look like constants and are none, or never come to an end.
TEST(ConstantExpressions, EndWhateverTheTextIs) {
  const auto text =
      tokenize("void k() { f(a, b, a); g(p, off), h({p, off}, off, off); } int x = y; int y = x + 1;", "x");
  IntegerConstants constants(text);
  for (const char* expression : {"a", "b", "p", "off", "x", "y"})
    EXPECT_EQ(constants.value(expression), std::nullopt) << expression;
  for (const char* one : {"(", "-", "~", "+"}) {
    std::string many;
    for (int i = 0; i < 1000000; ++i) many += one;
    EXPECT_EQ(constants.value(many + "1"), std::nullopt);
  }
}

}  // namespace
}  // namespace assay::metal
