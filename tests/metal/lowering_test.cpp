#include "harness/metal/lower.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <regex>
#include <sstream>

#include "harness/metal/constant_expression.hpp"
#include "harness/metal/errors.hpp"

namespace assay::metal {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string lowered(const std::string& text, const std::string& function = "k") {
  return lower(tokenize(text, "x.metal"), {.function = function}).text;
}

// What of the lowered text belongs to the user: up to the entry point.
std::vector<std::string> user_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text.substr(0, text.find("\n# ")));
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string message_of(const std::string& text) {
  try {
    lowered(text);
  } catch (const SourceError& error) {
    return error.what();
  }
  return "";
}

TEST(Lowering, WhatTheKernelDoesNotUseIsGone) {
  const auto text = lowered(
      "texture2d<float> unused_helper(sampler s) { return {}; }\n"
      "constexpr sampler smp(coord::normalized);\nstruct Gone { texture2d<float> t; };\n"
      "vertex float4 v(uint id [[vertex_id]]) { return 0; }\nkernel void other(texture2d<float> t "
      "[[texture(0)]]) {}\n"
      "int used_by_used() { return 1; }\nint used() { return used_by_used(); }\nbool operator==(Odd a, Odd "
      "b);\n"
      "kernel void k(device int* out) { out[0] = used(); }");
  EXPECT_THAT(text, Not(HasSubstr("texture2d")));
  EXPECT_THAT(text, Not(HasSubstr("sampler")));
  EXPECT_THAT(text, Not(HasSubstr("float4 v")));
  EXPECT_THAT(text, HasSubstr("int used_by_used()"));
  EXPECT_THAT(text, HasSubstr("operator==(Odd a"));
}

// Lines are numbered by their newlines: as many before every word as in the text.
RC_GTEST_PROP(Lowering, EveryWordStaysOnItsLine, ()) {
  const auto statements =
      *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::vector<std::string>{
          "threadgroup float AT[4];\n", "threadgroup half AT[2],\n BT[3];", "device int* AT = 0;\n\n",
          "half AT = 1.0h;", "\n#pragma unroll\n", "constant int& AT = *p; ", "/* x\n\n */",
          "typedef half AT __attribute__((ext_vector_type(4)));\n",
          "simdgroup_barrier(mem_flags::mem_none);\n"}));
  std::string text =
      "static int helper(thread int& x)\n{ return x; }\nkernel void other()\n{\n}\nkernel void k(device int* "
      "a)\n{\n";
  std::size_t names = 0;
  for (const auto& statement : statements) {
    text +=
        std::regex_replace(std::regex_replace(statement, std::regex("AT"), "word" + std::to_string(names)),
                           std::regex("BT"), "next" + std::to_string(names));
    ++names;
  }
  text += "\nhelper(3);\n}\n";
  const auto lines = user_lines(lowered(text));
  std::istringstream in(text);
  std::size_t number = 0;
  for (std::string line; std::getline(in, line); ++number) {
    static const std::regex kWord("(word|next|helper)[0-9]*");
    for (std::sregex_iterator it(line.begin(), line.end(), kWord), end; it != end; ++it) {
      RC_ASSERT(number < lines.size());
      RC_ASSERT(lines[number].find(it->str()) != std::string::npos);
    }
  }
}

TEST(Lowering, ThreadElementsAskForDistributedMatrices) {
  const std::string helper = "template <class T> void h(thread T& m) { m.thread_elements()[0] = 0; }\n";
  EXPECT_TRUE(lower(tokenize(helper + "kernel void k() { h(1); }", "x"), {.function = "k"})
                  .parts.distributed_matrices);
  EXPECT_FALSE(
      lower(tokenize(helper + "kernel void k() {}", "x"), {.function = "k"}).parts.distributed_matrices);
}

TEST(Lowering, OverloadsThatAddressSpacesAloneTellApart) {
  const std::string same =
      "int f(device int* a) { return a[0]; }\nint f(threadgroup int* b) { return b[0]; }\n";
  const std::string other =
      "int f(device int* a) { return a[0]; }\nint f(threadgroup int* b) { return b[1]; }\n";
  const std::string kernel = "kernel void k(device int* x) { x[0] = f(x); }";
  const auto text = lowered(same + kernel);
  EXPECT_THAT(text, HasSubstr("return a[0]"));
  EXPECT_THAT(text, Not(HasSubstr("return b[0]")));
  EXPECT_THAT(message_of(other + kernel),
              HasSubstr("x.metal:2: `f` differs from the one at x.metal:1 only by address space"));
  EXPECT_EQ(message_of(other + "kernel void k(device int* x) {}"), "");  // nobody calls them
}

// A copy that is defaulted does something: only a constructor that takes nothing does not.
TEST(Lowering, DefaultedCopiesAreNotIdle) {
  const std::string head = "struct S {\n int x;\n S() thread : x(1) {}\n S() threadgroup = default;\n";
  const std::string kernel = "};\nkernel void k(device int* x) { S s; x[0] = s.x; }";
  EXPECT_EQ(message_of(head + kernel), "");
  EXPECT_THAT(message_of(head +
                         " S(const thread S& s) thread : x(s.x + 1) {}\n"
                         " S(const thread S& s) threadgroup = default;\n" +
                         kernel),
              HasSubstr("x.metal:6: `S` differs from the one at x.metal:5 only by address space"));
}

TEST(Lowering, ConstTellsOverloadsApart) {
  const auto text = lowered(
      "int f(device int* a) { return 1; }\nint f(constant int* a) { return 2; }\n"
      "int f(device uint* a) { return 3; }\nkernel void k(device int* x) { x[0] = f(x); }");
  EXPECT_THAT(text, HasSubstr("return 1"));
  EXPECT_THAT(text, HasSubstr("return 2"));
  EXPECT_THAT(text, HasSubstr("return 3"));
}

TEST(Lowering, ErrorsNameTheLine) {
  EXPECT_EQ(message_of("kernel void other() {}\nnamespace n { [[host_name(\"x\")]] kernel void e() {} }"),
            "x.metal: no kernel function `k`; the file has: other, x");
  EXPECT_EQ(message_of("int x;"), "x.metal: no kernel function `k`; the file has none");
  EXPECT_EQ(
      message_of("template <int N> kernel void k() {}\ntemplate [[host_name(\"k_1\")]] kernel void k<1>();"),
      "x.metal: kernel `k` is a template; name one of its instantiations: the file has: k_1");
  EXPECT_EQ(message_of("\nkernel void k(device int* a) {\n if (a) {\n}\n"),
            "x.metal:2: the declaration that begins here is not closed");
  EXPECT_EQ(message_of("struct B {\n texture2d<float> t;\n};\nstruct A { B b; };\n"
                       "kernel void k(constant A& a) {}"),
            "");
  EXPECT_EQ(message_of("kernel void k() {\n asm volatile(\"nop\");\n}"),
            "x.metal:2: inline assembly is not supported");
}

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
