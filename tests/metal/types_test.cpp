// Words are types where they are declared as types: by the text in its scopes, or by the stand-in library.
// Nothing follows from how they are spelt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "harness/metal/library_types.hpp"
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

}  // namespace
}  // namespace assay::metal
