#include "harness/verify/expression.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace assay {
namespace {

const Dims kDims{{"M", 5}, {"N", 130}, {"K", 20}, {"tile_m", 64}, {"tile_n", 64}};

std::int64_t value(std::string_view text) { return Expression(text).evaluate_integer(kDims); }

std::string error(std::string_view text, const Dims& dims = kDims) {
  try {
    Expression(text).evaluate_integer(dims);
  } catch (const ExpressionError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Expression, PrecedenceAndAssociativity) {
  EXPECT_EQ(value("2 + 3 * 4"), 14);
  EXPECT_EQ(value("20 - 3 - 4"), 13);
  EXPECT_EQ(value("64 / 4 / 2"), 8);
  EXPECT_EQ(value("-(2 + 3) * -2"), 10);
  EXPECT_EQ(value("17 % 5 * 2"), 4);
}

TEST(Expression, DivisionInsideCeilIsExact) {
  EXPECT_EQ(value("ceil(N / 64)"), 3);
  EXPECT_EQ(value("ceil(128 / 64)"), 2);
  EXPECT_EQ(value("floor(-1 / 2)"), -1);
  EXPECT_EQ(value("ceil(-1 / 2)"), 0);
  EXPECT_EQ(value("ceil(K / 8) * 8"), 24);
  EXPECT_EQ(value("6 / 4 * 2"), 3);
}

TEST(Expression, MinAndMaxTakeTwoValuesOrMore) {
  EXPECT_EQ(value("min(M, N, K)"), 5);
  EXPECT_EQ(value("max(M, N, K)"), 130);
  EXPECT_EQ(value("max(7, 3)"), 7);
}

// A call that says nothing is a slip of the one who wrote it: a division or an argument is missing.
TEST(Expression, CallsThatSayNothingAreRefused) {
  EXPECT_NE(error("ceil(N)").find("ceil is applied to a whole number"), std::string::npos);
  EXPECT_NE(error("floor(2 * N + tile_m % 4)").find("is applied to a whole number"), std::string::npos);
  EXPECT_NE(error("ceil(min(N, ceil(K / 8)))").find("is applied to a whole number"), std::string::npos);
  EXPECT_NE(error("ceil(N, 64)").find("ceil takes one argument, not 2"), std::string::npos);
  EXPECT_NE(error("min(N)").find("min takes two arguments or more"), std::string::npos);
  EXPECT_EQ(value("ceil(N * 0.5)"), 65);
  EXPECT_EQ(value("floor(min(K / 8, 7))"), 2);
}

TEST(Expression, NamesThatDoNotMatterAreFound) {
  for (const char* text : {"0 * N", "N - N", "min(N, 1)", "K + N % 1", "max(N, -1, N) - N + M"}) {
    EXPECT_TRUE(Expression(text).idle_name()) << text;
  }
  for (const char* text : {"N", "ceil(N / 64) * M", "min(N, 64)", "max(N - 100000, 1)", "N % tile_n", "17"}) {
    EXPECT_FALSE(Expression(text).idle_name()) << text;
  }
  EXPECT_EQ(Expression("K + N % 1").idle_name(), "N");
}

TEST(Expression, MessagesOfLongOrForeignTextAreShortAndPrintable) {
  EXPECT_LT(error(std::string(100000, 'x')).size(), 400u);
  EXPECT_LT(error("N + " + std::string(900, 'x')).size(), 2000u);
  EXPECT_EQ(error("N \x1b[2J"), "expression \"N \\x1b[2J\", character 3: '\\x1b' is not expected here");
  EXPECT_NE(error(std::string_view("1\0+ 2", 5)), "no error");
}

TEST(Expression, TileDotMIsTileUnderscoreM) { EXPECT_EQ(value("ceil(N / tile.n)"), 3); }

TEST(Expression, DecimalsAreExact) {
  EXPECT_EQ(Expression("0.1 + 0.2").evaluate({}), (Fraction{3, 10}));
  EXPECT_EQ(Expression("1e-3").evaluate({}), (Fraction{1, 1000}));
}

TEST(Expression, UnknownNameListsKnownOnes) {
  EXPECT_EQ(error("ceil(n / 64)"),
            "expression \"ceil(n / 64)\": there is no value named n; there are K, M, N, tile_m, tile_n");
  EXPECT_EQ(error("M", {}), "expression \"M\": there is no value named M; there are none");
}

TEST(Expression, FractionWhereAWholeNumberIsNeeded) {
  EXPECT_EQ(error("K / 8"),
            "expression \"K / 8\" is 5/2, which is not a whole number; use ceil(...) or floor(...)");
}

TEST(Expression, OverflowAndDivisionByZeroAreErrors) {
  EXPECT_NE(error("9223372036854775807 + 1").find("does not fit"), std::string::npos);
  EXPECT_NE(error("9223372036854775807 * 9223372036854775807").find("does not fit"), std::string::npos);
  EXPECT_NE(error("1 / (M - 5)").find("division by zero"), std::string::npos);
  EXPECT_NE(error("1 % (M - 5)").find("division by zero"), std::string::npos);
  EXPECT_NE(error("99999999999999999999").find("does not fit"), std::string::npos);
  EXPECT_NE(error("1e400").find("too large"), std::string::npos);
}

TEST(Expression, MalformedTextIsRefusedWhenRead) {
  for (const char* text :
       {"", "1 +", "(1", "1)", "ceil(1", "ceil 1 2", "1 2", "$", "*", "1.", "min()", "sqrt(4)", "1,2"}) {
    EXPECT_THROW(Expression{text}, ExpressionError) << text;
  }
  EXPECT_THROW(Expression(std::string(100000, '(')), ExpressionError);
  EXPECT_THROW(Expression(std::string(100000, '-') + "1"), ExpressionError);
}

RC_GTEST_PROP(Expression, AgreesWithIntegerCeilDivision, ()) {
  const auto a = *rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000);
  const auto b = *rc::gen::inRange<std::int64_t>(1, 1'000'000);
  const Dims dims{{"a", a}, {"b", b}};
  RC_ASSERT(Expression("ceil(a / b)").evaluate_integer(dims) == (a + b - 1) / b);
  RC_ASSERT(Expression("floor(a / b) * b + a % b").evaluate_integer(dims) == a);
}

}  // namespace
}  // namespace assay
