#include "harness/metal/text/token.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace assay::metal {
namespace {

std::vector<std::string> words(const TokenText& text) {
  std::vector<std::string> all;
  for (const auto& token : text.tokens) {
    if (token.significant()) all.push_back(token.text);
  }
  return all;
}

RC_GTEST_PROP(Tokens, JoinedAreTheTextForAnyBytes, (const std::string& text)) {
  RC_ASSERT(tokenize(text, "x").str() == text);
}

// Text of the pieces that mean something to the tokenizer, which random bytes hardly ever make.
RC_GTEST_PROP(Tokens, JoinedAreTheTextForAnyPieces, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::elementOf(std::vector<std::string>{"\"",
                                                  "'",
                                                  "\\",
                                                  "/*",
                                                  "*/",
                                                  "//",
                                                  "\n",
                                                  "\r\n",
                                                  "#",
                                                  "# 7 \"f\"",
                                                  "# 1",
                                                  "0x1p-3h",
                                                  "1e",
                                                  "+",
                                                  ".5",
                                                  "[[",
                                                  "<<=",
                                                  "\xEF\xBB\xBF",
                                                  std::string(1, '\0'),
                                                  "a",
                                                  " "}));
  std::string text;
  for (const auto& piece : pieces) text += piece;
  RC_ASSERT(tokenize(text, "x").str() == text);
}

RC_GTEST_PROP(Tokens, LinesAreThoseOfTheText, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(
      std::vector<std::string>{"ab", "\n", " ", "/* x\n\n*/", "// y\n", "12", "+", "\"s\"", "\r\n"}));
  std::string text;
  for (const auto& piece : pieces) text += piece;
  const auto tokens = tokenize(text, "x");
  std::size_t at = 0;
  for (const auto& token : tokens.tokens) {
    RC_ASSERT(token.line == 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
    at += token.text.size();
  }
}

TEST(Tokens, LineMarkersSetFileAndLine) {
  const auto text = tokenize("a\n# 12 \"dir/other.h\" 1 3\nb\nc\n# 3 \"main\" 2\nd", "main");
  std::vector<std::pair<std::string, std::uint32_t>> places;
  for (const auto& token : text.tokens) {
    if (token.significant()) places.emplace_back(text.files[token.file], token.line);
  }
  EXPECT_EQ(places, (std::vector<std::pair<std::string, std::uint32_t>>{
                        {"main", 1}, {"dir/other.h", 12}, {"dir/other.h", 13}, {"main", 3}}));
}

TEST(Tokens, NumbersKeepSuffixExponentAndSign) {
  EXPECT_EQ(words(tokenize("1.0h 1e-3h 0x1p-3h 2h 1.0bf .5H 0x1F-3 1'000 1-2", "x")),
            (std::vector<std::string>{"1.0h", "1e-3h", "0x1p-3h", "2h", "1.0bf", ".5H", "0x1F", "-", "3",
                                      "1'000", "1", "-", "2"}));
}

TEST(Tokens, NestedAnglesCloseOneAtATime) {
  const auto text = tokenize("a<b<c, (d > e)>> x", "x");
  const auto open = static_cast<std::size_t>(
      std::find_if(text.tokens.begin(), text.tokens.end(), [](const Token& t) { return t.is("<"); }) -
      text.tokens.begin());
  const auto close = closing_angle(text.tokens, open);
  ASSERT_LT(close, text.tokens.size());
  EXPECT_EQ(text.tokens[next_significant(text.tokens, close)].text, "x");
}

TEST(Tokens, ComparisonsWithinAnglesOpenNone) {
  for (const char* list : {"<sizeof(T) < sizeof(U)> x", "<8 < n> x", "<enable_if_t<(n < 4)>> x",
                           "<enable_if_t<n < 4>> x", "<of<4>, n < 4> x"}) {
    const auto text = tokenize(list, "x");
    const auto close = closing_angle(text.tokens, 0);
    ASSERT_LT(close, text.tokens.size()) << list;
    EXPECT_EQ(next_significant(text.tokens, close), text.tokens.size() - 1) << list;
  }
}

TEST(Tokens, AComparisonIsNoAngle) {
  const auto text = tokenize("a < b; c > d", "x");
  EXPECT_EQ(closing_angle(text.tokens, 2), text.tokens.size());
}

}  // namespace
}  // namespace assay::metal
