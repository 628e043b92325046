// Which conditions of a text are made to note what they were.
#include "harness/metal/text/branches.hpp"

#include <gmock/gmock.h>

#include "tests/metal/body_names.hpp"
#include "tests/metal/syntax.hpp"

namespace assay::metal {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Instrumented of(const std::string& text) {
  const auto tokens = tokenize(text, "k.metal");
  return instrument(tokens, std::vector<bool>(tokens.tokens.size(), true), syntax_of(text));
}

// What becomes of a function body.
std::string body(const std::string& text) {
  const std::string before = kBodyNames + "void f() {", after = "}";
  const auto made = of(before + text + after).text;
  return made.substr(before.size(), made.size() - before.size() - after.size());
}

std::vector<std::string> texts(const std::string& text) {
  std::vector<std::string> found;
  for (const auto& one : of(kBodyNames + "void f() {" + text + "}").conditions) found.push_back(one.text);
  return found;
}

TEST(Branches, HeadsOfStatementsAreConditions) {
  EXPECT_EQ(body("if (a < b) g();"), "if (assay_seen(0, (a < b))) g();");
  EXPECT_EQ(body("while (h(a, b)) g();"), "while (assay_seen(0, (h(a, b)))) g();");
  EXPECT_EQ(body("for (uint i = 0; i < n; ++i) g(i);"),
            "for (uint i = 0; assay_seen(0, (i < n)); ++i) g(i);");
  EXPECT_EQ(body("do g(); while (a);"), "do g(); while (assay_seen(0, (a)));");
}

TEST(Branches, WhatStandsAheadOfAQuestionMarkIsACondition) {
  EXPECT_EQ(body("x = a < b ? c : d;"), "x = assay_seen(0, (a < b)) ? c : d;");
  EXPECT_EQ(body("f(a, k + i < n && ok ? p[i] : half(0));"),
            "f(a, assay_seen(0, (k + i < n && ok)) ? p[i] : half(0));");
  EXPECT_THAT(texts("x = make<vec<half, 4>>(a).x > b ? c : d;"), ElementsAre("make<vec<half, 4>>(a).x > b"));
}

TEST(Branches, ConditionsInsideConditionsAreBothNoted) {
  EXPECT_EQ(body("x = a ? b : c ? d : e;"), "x = assay_seen(0, (a)) ? b : assay_seen(1, (c)) ? d : e;");
  EXPECT_EQ(body("if ((a ? b : c) < d) g();"), "if (assay_seen(0, ((assay_seen(1, (a)) ? b : c) < d))) g();");
}

TEST(Branches, WhatARunIsNotAskedIsLeftAlone) {
  for (const char* text :
       {"if constexpr (sizeof(a) == 4) g();", "for (;;) g();", "if (4 < 8) g();", "while (true) g();",
        "if (device half* r = p) g();", "switch (a) { case 1: g(); }"}) {
    EXPECT_EQ(body(text), text);
  }
  EXPECT_THAT(of("constant int x = a ? 1 : 2;").conditions, IsEmpty());
}

TEST(Branches, PlacesAreThoseOfTheText) {
  const auto made = of(kBodyNames + "\n# 7 \"include/h.h\"\nvoid f() {\n  if (a\n      < b) g();\n}\n");
  ASSERT_EQ(made.conditions.size(), 1U);
  EXPECT_EQ(made.conditions[0].file, "include/h.h");
  EXPECT_EQ(made.conditions[0].line, 8U);
  EXPECT_EQ(made.conditions[0].text, "a < b");
}

TEST(Branches, TextThatIsNotLiveIsLeftAlone) {
  const std::string text = kBodyNames + "void f() { if (a) g(); }";
  const auto tokens = tokenize(text, "k.metal");
  const std::vector<bool> none(tokens.tokens.size(), false);
  EXPECT_THAT(instrument(tokens, none, syntax_of(text)).conditions, IsEmpty());
}

}  // namespace
}  // namespace assay::metal
