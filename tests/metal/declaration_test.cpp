#include "harness/metal/declaration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/metal/signature.hpp"

namespace assay::metal {
namespace {

using testing::ElementsAre;
using testing::IsSupersetOf;

struct Split {
  TokenText text;
  std::vector<Declaration> all;
  explicit Split(const std::string& source) : text(tokenize(source, "x")), all(declarations_of(text)) {}
  std::string operator[](std::size_t i) const { return text_of(text.tokens, all.at(i).range); }
};

TEST(Declarations, EndWhereCxxEndsThem) {
  const Split split(
      "constant float a[2] = {1, 2}, b = f(3);\n"
      "struct S { int x; } s;\n"
      "typedef struct { int y; } T;\n"
      "void f(int a = g(1), int b = 2) { if (a) { b; } }\n"
      "template <typename T, int N = (1 > 2)> struct V<T*> : B<T> { T t; };\n"
      "enum { kOne, kTwo };\n"
      "using X = V<int>;\n"
      "float operator()(int a);\n"
      "static_assert(sizeof(S) == 4, \"s\");\n");
  ASSERT_EQ(split.all.size(), 9u);
  EXPECT_EQ(split[0], "constant float a[2] = {1, 2}, b = f(3);");
  EXPECT_EQ(split[1], "struct S { int x; } s;");
  EXPECT_EQ(split[2], "typedef struct { int y; } T;");
  EXPECT_EQ(split[3], "void f(int a = g(1), int b = 2) { if (a) { b; } }");
  EXPECT_EQ(split[8], "static_assert(sizeof(S) == 4, \"s\");");
}

TEST(Declarations, NameWhatTheyDeclare) {
  const Split split(
      "constant float a[2] = {q, r}, b = f(3);\n"
      "struct S : Base<int> { int x; } s, *t;\n"
      "enum class E : uint { kOne = 3, kTwo };\n"
      "typedef decltype(kernel_mul_mm<half, 2>) mul_mm_t;\n"
      "typedef void (*handler)(int);\n"
      "template <typename T> constexpr T h() { return 1; }\n"
      "template <> half f<half>(int x) { return x; }\n"
      "constexpr sampler smp(coord::normalized);\n"
      "constant bool flag [[function_constant(0)]];\n"
      "constant Table<int, 4> lut = Table<int, 4>({ 0, 1, 2, 3 }), more = Table<int, 4>{};\n");
  const auto names = [&](std::size_t i) { return split.all.at(i).names; };
  EXPECT_THAT(names(0), ElementsAre("a", "b"));
  EXPECT_THAT(names(1), IsSupersetOf({"S", "s", "t"}));
  EXPECT_THAT(names(2), IsSupersetOf({"E", "kOne", "kTwo"}));
  EXPECT_THAT(names(3), ElementsAre("mul_mm_t"));
  EXPECT_THAT(names(4), ElementsAre("handler"));
  EXPECT_THAT(names(5), ElementsAre("h"));
  EXPECT_THAT(names(6), ElementsAre("f"));
  EXPECT_TRUE(split.all[6].explicit_specialisation);
  EXPECT_THAT(names(7), ElementsAre("smp"));
  EXPECT_EQ(split.all[9].kind, DeclarationKind::other);
  EXPECT_THAT(names(9), IsSupersetOf({"lut", "more"}));
  EXPECT_THAT(names(8), ElementsAre("flag"));
}

TEST(Declarations, HaveTheNamespacesAroundThem) {
  const Split split(
      "namespace a { namespace b { int x; } } namespace c::d { int y; } extern \"C\" { int z; } namespace { "
      "int u; }");
  ASSERT_EQ(split.all.size(), 4u);
  EXPECT_THAT(split.all[0].scope, ElementsAre("a", "b"));
  EXPECT_THAT(split.all[1].scope, ElementsAre("c", "d"));
  EXPECT_THAT(split.all[2].scope, ElementsAre());
  EXPECT_THAT(split.all[3].scope, ElementsAre(""));
}

TEST(Declarations, MembersIncludeConstructorsWithInitialisers) {
  const Split split(
      "struct S {\n public:\n  S(int x) : a(x), b{2} { go(); }\n  ~S() {}\n  operator float() const { return "
      "1; }\n"
      "  int get() const device { return a; }\n  int a, b;\n};");
  const auto members = members_of(split.text, split.all.at(0));
  ASSERT_EQ(members.size(), 5u);
  EXPECT_EQ(text_of(split.text.tokens, members[0].range), "S(int x) : a(x), b{2} { go(); }");
  EXPECT_EQ(members[3].name, "get");
}

TEST(Declarations, UnclosedOnesAreNoticed) {
  EXPECT_FALSE(Split("void f() { if (x) {").all.at(0).complete);
  EXPECT_FALSE(Split("int a = 3").all.at(0).complete);
  EXPECT_TRUE(Split("int a = 3;").all.at(0).complete);
}

TEST(Kernels, AreFoundHoweverTheyAreMarked) {
  const Split split(
      "kernel void a(device float* x) {}\n[[kernel]] void b() {}\ntemplate <int N> [[kernel, other(3)]] void "
      "c() {}\n"
      "extern \"C\" kernel void d() {}\nnamespace n { [[host_name(\"public\" \"_name\")]] kernel void "
      "e(void) {} }\n"
      "kernel void a(device float* x);\nvoid f() {}\n"
      "template [[host_name(\"c_3\")]] [[kernel]] decltype(c<3>) c<3>;\n"
      "template [[host_name(\"c_4\")]] kernel void c<(8 > 4) ? 4 : 5>();");
  const auto index = index_kernels(split.text, split.all);
  ASSERT_EQ(index.functions.size(), 5u);
  EXPECT_EQ(index.functions[2].name, "c");
  EXPECT_TRUE(index.functions[2].is_template);
  EXPECT_EQ(index.functions[4].name, "n::e");
  EXPECT_EQ(index.functions[4].host_name, "public_name");
  EXPECT_TRUE(index.functions[4].parameters.empty());
  ASSERT_EQ(index.instantiations.size(), 2u);
  EXPECT_EQ(index.instantiations[0].host_name, "c_3");
  EXPECT_EQ(index.instantiations[1].template_id, "c<(8 > 4) ? 4 : 5>");
}

TEST(Kernels, ParametersSayWhatTheyStandFor) {
  const Split split(
      "kernel void k(const device metal::vec<T, 4>* a [[buffer(0)]], constant S & s, threadgroup char * m "
      "[[threadgroup(1)]],\n"
      "  device half (&array)[2][4] [[buffer(N + 1), function_constant(flag)]], device int* __restrict r "
      "[[maybe_unused]],\n"
      "  uint3 position[[thread_position_in_grid]], constant const uint& n [[buffer(kN)]]) {}");
  const auto parameters = index_kernels(split.text, split.all).functions.at(0).parameters;
  ASSERT_EQ(parameters.size(), 7u);
  EXPECT_EQ(parameters[0].name, "a");
  EXPECT_EQ(parameters[0].attribute, "buffer");
  EXPECT_EQ(parameters[1].name, "s");
  EXPECT_EQ(parameters[1].attribute, "");
  EXPECT_TRUE(parameters[1].reference && parameters[1].constant);
  EXPECT_TRUE(parameters[2].threadgroup);
  EXPECT_EQ(parameters[3].name, "array");
  EXPECT_EQ(parameters[4].name, "r");
  EXPECT_EQ(parameters[4].attribute, "");
  EXPECT_EQ(parameters[5].attribute, "thread_position_in_grid");
}

}  // namespace
}  // namespace assay::metal
