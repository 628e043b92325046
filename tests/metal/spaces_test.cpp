// Text that Apple's compiler refuses, and that C++ would take: address spaces that do not match, double,
// recursion.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/metal/compile/errors.hpp"
#include "harness/metal/module/module.hpp"
#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

class Spaces : public testing::Test {
 protected:
  // What becomes of a kernel with these lines: `head` from line 3 on, `body` from the line behind the
  // kernel's.
  std::string error_of(const std::string& head, const std::string& body) {
    const auto text = fmt::format(
        "#include <metal_stdlib>\nusing namespace metal;\n{}\nkernel void k(device float* a [[buffer(0)]], "
        "constant int& n [[buffer(1)]], threadgroup float* s [[threadgroup(0)]], uint i "
        "[[thread_position_in_grid]]) {{\n{}\n}}\n",
        head, body);
    const auto path = directory_.write("spaces.metal", text);
    try {
      compile({.path = path, .function = "k", .defines = {}, .include_dirs = {}, .function_constants = {}},
              Flavour::fast);
    } catch (const CompileError& error) {
      return std::string(error.what()).substr(directory_.path().string().size() + 1);
    }
    return "";
  }

  TemporaryDirectory directory_;
};

struct Mixed {
  const char *head, *body, *says;
};

const std::string kMixed = "address spaces do not match: ";

TEST_F(Spaces, ThatDoNotMatchAreRefused) {
  for (const Mixed& one : {
           Mixed{"", "device float* p = s; p[0] = 1;",
                 "5: cannot initialize a variable of type 'device float *' with an lvalue of type "
                 "'threadgroup float *'"},
           Mixed{"", "device float* p = a;\np = s; p[0] = n;",
                 "6: assigning 'threadgroup float *' to 'device float *' changes address space of pointer"},
           Mixed{"void take(device float* p) { p[0] = 1; }", "take(s);",
                 "5: no matching function for call to 'take': candidate function not viable: cannot pass "
                 "pointer to address space 'threadgroup' as a pointer to address space 'device' in 1st "
                 "argument"},
           Mixed{"template <typename T> T load(const device T* p) { return *p; }", "a[0] = load(s);",
                 "5: no matching function for call to 'load': candidate template ignored"},
           Mixed{"", "threadgroup float4* q = (threadgroup float4*)a; q[0] = 1;",
                 "5: C-style cast from 'device float *' to 'threadgroup float4 *'"},
           Mixed{"", "device uint* y = reinterpret_cast<device uint*>(s); y[0] = 1;",
                 "5: reinterpret_cast from"},
           Mixed{"", "threadgroup float& r = a[0]; r = 1;",
                 "5: binding reference of type 'threadgroup float'"},
           Mixed{"", "threadgroup float t[32]; t[i] = 1;\ndevice float* p = t; p[0] = 2;",
                 "6: cannot initialize a variable of type 'device float *'"},
           Mixed{"", "float t[4] = {1}; device float* p = t; p[0] = 2;", "5: cannot initialize"},
           Mixed{"constant float tab[2] = {1, 2};", "const device float* p = tab; a[0] = p[1];",
                 "5: cannot initialize"},
           Mixed{"device float* give(threadgroup float* s) { return s; }", "give(s)[0] = 1;",
                 "3: cannot initialize return object of type 'device float *'"},
           Mixed{"struct S { device float* p; int n; };", "S x = {s, 1}; x.p[0] = 1;",
                 "5: cannot initialize"},
           Mixed{"typedef device float* place; typedef threadgroup float* here;",
                 "here h = s; place p = h; p[0] = 1;", "5: cannot initialize"},
           Mixed{"template <typename T> void fill(threadgroup T* t) { device T* p = t; *p = 1; }", "fill(s);",
                 "3: cannot initialize"},
           Mixed{"", "auto w = i ? a : s; w[0] = 1;", "5: incompatible operand types"},
       }) {
    const auto said = error_of(one.head, one.body);
    const std::string expected = one.says;
    const auto line = expected.substr(0, expected.find(' '));
    EXPECT_THAT(said,
                testing::StartsWith("spaces.metal:" + line + " " + kMixed + expected.substr(line.size() + 1)))
        << one.body;
  }
}

TEST_F(Spaces, ThatMatchAreNot) {
  for (const auto& [head, body] : {
           std::pair{"void put(device float* p) { *p = 1; }\nvoid put(threadgroup float* p) { *p = 1; }",
                     "put(a); put(s);"},
           std::pair{"template <typename P> void put(P p) { *p = 1; }", "put(a); put(s); float t; put(&t);"},
           std::pair{"struct S { float x; float both() const { return x; } };",
                     "S t; t.x = 1; device S* d = (device S*)a; a[0] = t.both() + d->both();"},
           std::pair{"void each(thread const float* p, threadgroup float* q) { *q = *p; }",
                     "float t[4] = {1}; each(t, s); threadgroup float u[8]; each(&t[1], &u[i]);"},
           std::pair{"", "auto p = a; p[0] = s[0]; auto q = (threadgroup float4*)s; q[0] = float4(1);"},
           // Values of classes: one that lies in memory, and one that is made.
           std::pair{"struct S { float x; };", "S t = i ? ((device S*)a)[i] : S{1}; a[0] = t.x;"},
           std::pair{"", "bfloat t = i ? ((device bfloat*)a)[i] : bfloat(1); a[0] = float(t);"},
           // Named as functions of the library are: clang knows the text's alone.
           std::pair{"void atomic_store_explicit(device float* p, float x) { *p = x; }",
                     "atomic_store_explicit((threadgroup atomic_int*)s, 1, memory_order_relaxed);"},
       }) {
    EXPECT_EQ(error_of(head, body), "") << body;
  }
}

// One object would do for both texts, if they were told apart by what is compiled.
TEST_F(Spaces, AreNotForgottenByTheCache) {
  EXPECT_EQ(error_of("", "threadgroup float* p = s; p[3] = 1;"), "");
  EXPECT_THAT(error_of("", "device float* p = s; p[3] = 1;"), testing::HasSubstr(kMixed));
}

class NotMetal : public Spaces {};

TEST_F(NotMetal, DoubleAndRecursion) {
  EXPECT_EQ(error_of("", "double x = a[0];\na[0] = x;"), "spaces.metal:5: Metal has no `double`");
  EXPECT_EQ(error_of("", "\na[0] = 1.0L;"), "spaces.metal:6: `1.0L`: Metal has no `double`");
  EXPECT_EQ(error_of("int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }", "a[0] = fact(n);"),
            "spaces.metal:3: `fact` calls itself; Metal has no recursion");
  EXPECT_EQ(error_of("int odd(int n);\nint even(int n) { return n == 0 ? 1 : odd(n - 1); }\n"
                     "int odd(int n) { return n == 0 ? 0 : even(n - 1); }",
                     "a[0] = even(n);"),
            "spaces.metal:5: `even` calls itself by way of `odd`; Metal has no recursion");
  EXPECT_EQ(
      error_of("int loop(int n) { return n; }\nint loop(float x) { return loop(int(x)); }\n"
               "float clamp(float x) { return clamp(x, 0.0f, 1.0f); }\n"
               "template <int N> int down() { if constexpr (N == 0) return 0; else return down<N - 1>(); }",
               "a[0] = loop(1.5f) + clamp(2.f) + down<4>();"),
      "")
      << "calls of another function of the same name";
}

// A kernel is often named after the function that it applies.
TEST_F(NotMetal, CallsOfTheLibraryAreNoRecursion) {
  EXPECT_EQ(error_of("void sin(device float* x) { x[0] = sin(x[0]); }\n"
                     "void powr(device float* x) { x[0] = powr(x[0], 2.0f) + exp2(x[0]); }\n"
                     "void exp2(device float* x) { powr(x); }",
                     "sin(a), powr(a), exp2(a);"),
            "");
}

}  // namespace
}  // namespace assay::metal
