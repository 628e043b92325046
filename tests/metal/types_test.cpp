// Words are types where they are declared as types: by the text in its scopes, or by the stand-in library.
// Nothing follows from how they are spelt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "harness/metal/library_types.hpp"
#include "harness/metal/lower.hpp"
#include "harness/metal/toolchain.hpp"
#include "harness/metal/type_words.hpp"

namespace assay::metal {
namespace {

// The text with every word that is a type as <word>.
std::string marked(const std::string& source) {
  const auto text = tokenize(source, "x.metal");
  const TypeWords types(text);
  std::string all;
  for (std::size_t i = 0; i < text.tokens.size(); ++i)
    all += types.is_type(i) ? "<" + text.tokens[i].text + ">" : text.tokens[i].text;
  return all;
}

TEST(Types, OfTheLibraryAreThoseOfItsHeaders) {
  const auto& types = library_types();
  for (const char* name : {"half",
                           "bfloat",
                           "uchar",
                           "ulong",
                           "size_t",
                           "int64_t",
                           "float4",
                           "packed_half3",
                           "bool2",
                           "half4x4",
                           "vec",
                           "matrix",
                           "array",
                           "atomic",
                           "atomic_uint",
                           "simdgroup_matrix",
                           "simdgroup_float8x8",
                           "simd_vote",
                           "mem_flags",
                           "memory_order",
                           "enable_if_t",
                           "numeric_limits",
                           "texture2d",
                           "sampler"}) {
    EXPECT_TRUE(types.contains(name)) << name;
  }
  // Functions, constants, and what the stand-in library has for itself.
  for (const char* name :
       {"exp", "simd_sum", "threadgroup_barrier", "mem_threadgroup", "memory_order_relaxed", "swizzle",
        "value_of", "assay_lane_t", "metal", "enum", "is_same_v"}) {
    EXPECT_FALSE(types.contains(name)) << name;
  }
}

TEST(Types, AreWhatTheTextDeclares) {
  EXPECT_EQ(marked("struct alignas(8) Block { half d; } ; Block b;"),
            "struct alignas(8) <Block> { <half> d; } ; <Block> b;");
  EXPECT_EQ(marked("typedef struct { half d; } block, *pointer; block b; pointer p;"),
            "typedef struct { <half> d; } <block>, *<pointer>; <block> b; <pointer> p;");
  EXPECT_EQ(marked("typedef float row[4]; typedef float (*unary)(float); row r; unary f;"),
            "typedef <float> <row>[4]; typedef <float> (*<unary>)(<float>); <row> r; <unary> f;");
  EXPECT_EQ(
      marked("using number = half; enum class Mode : uint8_t { plain }; number x = plain * number(2);"),
      "using <number> = <half>; enum class <Mode> : <uint8_t> { plain }; <number> x = plain * <number>(2);");
}

TEST(Types, DoNotFollowFromSpelling) {
  EXPECT_EQ(marked("void f(float count_t, uint2 float4x) { return count_t * float4x; }"),
            "<void> f(<float> count_t, <uint2> float4x) { return count_t * float4x; }");
  EXPECT_EQ(marked("void f() { return (stride_t) * x; }"), "<void> f() { return (stride_t) * x; }");
}

TEST(Types, AreKnownInTheirScope) {
  // Of a template: to the end of what it is of.
  EXPECT_EQ(
      marked("template <typename T, int N> T f(T x) { return T(x) * N; } int g(int T) { return T * 2; }"),
      "template <typename <T>, <int> N> <T> f(<T> x) { return <T>(x) * N; } <int> g(<int> T) { return T * 2; "
      "}");
  EXPECT_EQ(
      marked("template <class T> struct S { T a; S(T x) : a{x}, b(T(1)) { T y; } T b; }; int T;"),
      "template <class <T>> struct <S> { <T> a; <S>(<T> x) : a{x}, b(<T>(1)) { <T> y; } <T> b; }; <int> T;");
  // Of a function: to its end.
  EXPECT_EQ(marked("void f() { using U = half; { U x; } } void g(int U) { U * 3; }"),
            "<void> f() { using <U> = <half>; { <U> x; } } <void> g(<int> U) { U * 3; }");
  // Of a class, from outside.
  EXPECT_EQ(
      marked("struct A { typedef half item; }; void f() { A::item x; } struct B : A { item y; };"),
      "struct <A> { typedef <half> <item>; }; <void> f() { <A>::<item> x; } struct <B> : <A> { <item> y; };");
  EXPECT_EQ(marked("template <class A> void f(typename A::item x, A a) { a.item * x; }"),
            "template <class <A>> <void> f(typename <A>::<item> x, <A> a) { a.item * x; }");
}

TEST(Types, AreHiddenByValues) {
  EXPECT_EQ(marked("struct block { int n; }; int f(int block) { return (block) * 2; } block b;"),
            "struct <block> { <int> n; }; <int> f(<int> block) { return (block) * 2; } <block> b;");
  EXPECT_EQ(marked("int f() { device float* level = p; return level * 2; }"),
            "<int> f() { device <float>* level = p; return level * 2; }");
  EXPECT_EQ(
      marked("int f(thread const vec<float, 4>& array) { for (int bias = 0; bias < 2;) { array * bias; } }"),
      "<int> f(thread const <vec><<float>, 4>& array) { for (<int> bias = 0; bias < 2;) { array * bias; } }");
}

// What passes make of a text does not depend on how its types and variables are called: renamed, it is
// lowered to the same with other names. Each of these names was once taken for what it is not.
TEST(Types, RenamedTextsAreLoweredAlike) {
  const auto lowered = [](std::string source, const std::string& type, const std::string& value) {
    const auto put = [&](const std::string& what, const std::string& with) {
      for (auto at = source.find(what); at != source.npos; at = source.find(what))
        source.replace(at, 2, with);
    };
    put("$T", type);
    put("$v", value);
    auto text = lower(tokenize(source, "x.metal"), {.function = "k"}).text;
    const auto back = [&](const std::string& from, const std::string& to) {
      for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    };
    back(type, "@1");
    back(value, "@2");
    return text;
  };
  const std::string source =
      "typedef half $T;\n"
      "struct Pair { $T a; float b; };\n"
      "static $T twice(device const $T* p, thread Pair& q) { return ($T)(*p * q.a) + ($T)q.b; }\n"
      "kernel void k(device $T* p [[buffer(0)]], constant float& $v [[buffer(1)]]) {\n"
      "  threadgroup $T tile[8];\n"
      "  Pair q{p[0], $v};\n"
      "  $T x = p[1] * ($v) * p[2] + ($v) - tile[1];\n"
      "  $T* none = nullptr;\n"
      "  p[0] = twice(p + 1, q) * x + $v * q.b;\n"
      "}\n";
  const auto expected = lowered(source, "Zahl", "faktor");
  for (const char* type : {"zahl_t", "zahlen", "float4_of", "T_"})
    for (const char* value : {"faktor_t", "size_of_t", "packed_f", "half_of"})
      EXPECT_EQ(lowered(source, type, value), expected) << type << " " << value;
}

}  // namespace
}  // namespace assay::metal
