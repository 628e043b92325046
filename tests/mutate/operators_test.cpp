// What the operators of mutation testing put into Metal text, and what they leave alone.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "harness/mutate/mutation.hpp"
#include "harness/mutate/source_lines.hpp"
#include "tests/mutate/bodies.hpp"

namespace assay::mutate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<Mutation> all_mutations(const metal::TokenText& text) { return all_of(text, mutations_of); }

std::vector<std::string> bodies(const std::string& body, const std::set<std::string>& kinds) {
  return bodies_by(mutations_of, body, kinds);
}

TEST(Operators, Comparisons) {
  EXPECT_THAT(bodies("x = a < b;", {"comparison"}), ElementsAre("x = a <= b;", "x = a >= b;"));
  EXPECT_THAT(bodies("x = a == b;", {"comparison"}), ElementsAre("x = a != b;"));
}

TEST(Operators, BracketsOfTemplatesAreNoComparisons) {
  EXPECT_THAT(bodies("x = as_type<half>(y);", {"comparison", "shift"}), IsEmpty());
  EXPECT_THAT(bodies("x = make<vec<half, 4>>(y);", {"comparison", "shift"}), IsEmpty());
  EXPECT_THAT(bodies("if (a < b && c > d) g();", {"comparison"}), testing::SizeIs(4));
}

TEST(Operators, ShiftsAreOneOperatorThoughTwoTokens) {
  EXPECT_THAT(bodies("x = a >> b;", {"shift", "comparison"}), ElementsAre("x = a << b;"));
  EXPECT_THAT(bodies("x = a << b;", {"shift"}), ElementsAre("x = a >> b;"));
}

TEST(Operators, StarsAndAmpersandsOfDeclaratorsAreNoArithmetic) {
  EXPECT_THAT(bodies("device const half* p = q;", {"arithmetic", "mask"}), IsEmpty());
  EXPECT_THAT(bodies("thread half& r = q;", {"arithmetic", "mask"}), IsEmpty());
  EXPECT_THAT(bodies("x = *p;", {"arithmetic"}), IsEmpty());
  EXPECT_THAT(bodies("x = a * b & c;", {"arithmetic", "mask"}),
              ElementsAre("x = a / b & c;", "x = a + b & c;", "x = a * b | c;", "x = a * b ^ c;"));
}

TEST(Operators, ConstantsHaveNeighboursAndMasksLoseABit) {
  EXPECT_THAT(bodies("x = 7u;", {"constant"}), ElementsAre("x = 8u;", "x = 6u;"));
  EXPECT_THAT(bodies("x = 0;", {"constant"}), ElementsAre("x = 1;"));
  EXPECT_THAT(bodies("x = 0x00F0;", {"constant"}), ElementsAre("x = 0xE0;", "x = 0x70;"));
  EXPECT_THAT(bodies("x = 0.5f;", {"constant"}), ElementsAre("x = 1.50000000f;", "x = 0.0f;"));
}

TEST(Operators, StatementsAreDroppedAndDeclarationsAreNot) {
  EXPECT_THAT(
      bodies("uint i = 0; g(i); if (i) h(); for (;;) k();", {"statement"}),
      ElementsAre("uint i = 0;  ; if (i) h(); for (;;) k();", "uint i = 0; g(i); if (i)  ; for (;;) k();",
                  "uint i = 0; g(i); if (i) h(); for (;;)  ;"));
  EXPECT_THAT(bodies("return;", {"statement"}), ElementsAre(" ;"));
  EXPECT_THAT(bodies("auto l = [&] { return x; };", {"statement"}), IsEmpty());
}

TEST(Operators, ConditionsOfLoopsAreNoStatements) {
  EXPECT_THAT(bodies("for (i = 0; i < n; ++i) x = i;", {"statement"}),
              ElementsAre("for (i = 0; i < n; ++i)  ;"));
}

TEST(Operators, BarriersAreDroppedWeakenedAndLoseTheirMemory) {
  EXPECT_THAT(bodies("threadgroup_barrier(mem_flags::mem_threadgroup);", {"barrier"}),
              UnorderedElementsAre(" ;", "simdgroup_barrier(mem_flags::mem_threadgroup);",
                                   "threadgroup_barrier(mem_flags::mem_none);"));
  EXPECT_THAT(bodies("atomic_thread_fence(flags, memory_order_acq_rel, thread_scope_device);", {"fence"}),
              ElementsAre("atomic_thread_fence(flags, memory_order_relaxed, thread_scope_device);",
                          "atomic_thread_fence(flags, memory_order_acq_rel, thread_scope_threadgroup);"));
}

TEST(Operators, ArgumentsAreSwapped) {
  EXPECT_THAT(bodies("g(a, h(b, c), a);", {"swap"}),
              ElementsAre("g(h(b, c), a, a);", "g(a, a, h(b, c));", "g(a, h(c, b), a);"));
  EXPECT_THAT(bodies("g(a, a);", {"swap"}), IsEmpty());
  EXPECT_THAT(bodies("Pair two = {a, b};", {"swap"}), ElementsAre("Pair two = {b, a};"));
}

TEST(Operators, IndicesPrecisionLoopsConditionsAndComponents) {
  EXPECT_THAT(bodies("x = rows[i][j];", {"index"}),
              ElementsAre("x = rows[i + 1][j];", "x = rows[i][j + 1];"));
  EXPECT_THAT(bodies("half p[4];", {"index"}), IsEmpty());
  EXPECT_THAT(bodies("float x = float(y);", {"precision"}),
              ElementsAre("half x = float(y);", "float x = half(y);"));
  EXPECT_THAT(bodies("for (uint i = 0; i < n; ++i) g();", {"loop"}),
              ElementsAre("for (uint i = 0; i < n - 1; ++i) g();"));
  EXPECT_THAT(bodies("if (c) g();", {"condition"}), ElementsAre("if (true) g();", "if (false) g();"));
  EXPECT_THAT(bodies("x = c ? a : b;", {"condition"}), ElementsAre("x = c ? b : a;"));
  EXPECT_THAT(bodies("x = v.x + w.y;", {"component"}), ElementsAre("x = v.y + w.y;", "x = v.x + w.x;"));
}

TEST(Operators, AttributesAndTheKernelsOwnParametersAreLeftAlone) {
  const auto text = tokens_of(
      "template <uint N = 4> struct T {};\n"
      "[[max_total_threads_per_threadgroup(64)]]\n"
      "kernel void k(device float* p [[buffer(3)]]) { p[0] = 1; }");
  for (const auto& mutation : all_mutations(text)) {
    EXPECT_EQ(text.tokens[mutation.first_token()].line, 3u);
    EXPECT_THAT(apply(text, mutation), testing::StartsWith("template <uint N = 4> struct T {};\n"
                                                           "[[max_total_threads_per_threadgroup(64)]]\n"
                                                           "kernel void k(device float* p [[buffer(3)]])"));
  }
}

TEST(Operators, OnlyWhatIsLiveIsMutated) {
  const auto text = tokens_of(
      "uint used() { return 1 + 2; }\n"
      "uint unused() { return 3 + 4; }\n"
      "kernel void k(device uint* p [[buffer(0)]]) { p[0] = used(); }");
  std::vector<bool> live;
  for (const auto& token : text.tokens) live.push_back(token.line != 2);
  std::set<std::uint32_t> lines;
  for (const auto& mutation : mutations_of(text, live, syntax_of(text))) {
    lines.insert(text.tokens[mutation.first_token()].line);
  }
  EXPECT_THAT(lines, ElementsAre(1, 3));
}

// Whatever pieces stand next to one another: a mutant differs, and its lines keep their numbers.
RC_GTEST_PROP(Operators, MutantsDifferAndKeepTheirLines, ()) {
  const auto pieces =
      *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::vector<std::string>{
          "a",      "b", "f",    "(",    ")",  "[", "]", "{",    "}",     ";",
          ",",      "<", ">",    "+",    "*",  "&", "?", ":",    "if",    "for",
          "return", "1", "0x1F", "1.0h", "\n", " ", "=", "half", "float", "threadgroup_barrier",
          "[[",     "]]"}));
  std::string body;
  for (const auto& piece : pieces) body += piece + " ";
  const auto text = tokens_of("void f() { " + body + " }");
  const auto whole = text.str();
  for (const auto& mutation : all_mutations(text)) {
    const auto mutant = apply(text, mutation);
    RC_ASSERT(mutant != whole);
    RC_ASSERT(std::count(mutant.begin(), mutant.end(), '\n') == std::count(whole.begin(), whole.end(), '\n'));
  }
}

}  // namespace
}  // namespace assay::mutate
