// A kernel among others: what it does not use is not in its way, whatever it is; and functions that address
// spaces alone tell apart.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <regex>

#include "harness/metal/compile/errors.hpp"
#include "harness/metal/compile/variants.hpp"
#include "harness/metal/module/module.hpp"
#include "harness/metal/text/live.hpp"
#include "harness/metal/text/outline_query.hpp"
#include "harness/metal/text/preprocess.hpp"
#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

using testing::HasSubstr;
using testing::Not;

class Reach : public testing::Test {
 protected:
  // "" of what loads; paths without the directory.
  std::string message_of(const std::string& text) {
    KernelRun kernel(directory_.write("x.metal", text), "k");
    try {
      compile(kernel.source(), Flavour::fast);
      return "";
    } catch (const SourceError& error) {
      std::string said = error.what();
      const std::string prefix = directory_.path().string() + "/";
      for (auto at = said.find(prefix); at != said.npos; at = said.find(prefix))
        said.erase(at, prefix.size());
      return said;
    }
  }

  // What the kernel uses of a text.
  std::string used_of(const std::string& text) {
    KernelRun kernel(directory_.write("x.metal", text), "k");
    const auto tokens = tokenize(preprocess(kernel.source()), "x.metal");
    const auto live = live_tokens(tokens, outline_of(tokens.str(), kernel.source()));
    std::string all;
    for (std::size_t i = 0; i < live.size(); ++i)
      if (live[i]) all += tokens.tokens[i].text;
    return all;
  }

  TemporaryDirectory directory_;
};

TEST_F(Reach, WhatTheKernelDoesNotUseIsNotInItsWay) {
  const std::string text =
      "#include <metal_stdlib>\nusing namespace metal;\n"
      "texture2d<float> unused_helper(sampler s) { return nonsense(s); }\n"
      "struct Gone { no_type t; double d; };\n"
      "vertex float4 v(uint id [[vertex_id]]) { return none; }\n"
      "kernel void other(texture2d<float> t [[texture(99)]]) { goto out; }\n"
      "template <class T> void many(device T* out, uint n) { undeclared(out); }\n"
      "template [[host_name(\"many_1\")]] kernel void many<no_type>(device no_type*, uint);\n"
      "extern \"C\" { int host(const char*); }\nstatic_assert(sizeof(Gone) == 4, \"\");\n"
      "int used_by_used() { return 1; }\nint used() { return used_by_used(); }\n"
      "kernel void k(device int* out) { out[0] = used(); }\n";
  EXPECT_EQ(message_of(text), "");
  const auto used = used_of(text);
  EXPECT_THAT(used, HasSubstr("int used_by_used()"));
  EXPECT_THAT(used, HasSubstr("out[0] = used()"));
  for (const char* other : {"unused_helper", "Gone", "float4 v", "other", "many", "host"})
    EXPECT_THAT(used, Not(HasSubstr(other)));
}

// The same faults, in what the kernel does use.
TEST_F(Reach, WhatItUsesIs) {
  const std::string kernel = "kernel void k(device int* out) { out[0] = used(); }\n";
  EXPECT_THAT(message_of("int used() { return nonsense(1); }\n" + kernel), HasSubstr("x.metal:1: "));
  EXPECT_THAT(message_of("struct S { double d; };\nint used() { return sizeof(S); }\n" + kernel),
              HasSubstr("x.metal:1: Metal has no `double`"));
  EXPECT_THAT(message_of("int deep() { goto out; out: return 1; }\nint used() { return deep(); }\n" + kernel),
              HasSubstr("x.metal:1: Metal has no `goto`"));
  EXPECT_THAT(message_of("int used() { return 1; }\nstatic_assert(sizeof(used()) == 3, \"no\");\n" + kernel),
              HasSubstr("x.metal:2: "));
  EXPECT_THAT(
      message_of("template <class T> int use() { return T::none; }\nint used() { return use<int>(); }\n" +
                 kernel),
      HasSubstr("x.metal:1: "));
}

// Which lines a text says it has does not move what stands in it to where the kernel does not come.
TEST_F(Reach, LinesThatATextClaimsHideNothing) {
  EXPECT_THAT(message_of("int unused() {\n  return 1;\n}\nint more() { return 2; }\n"
                         "kernel void k(device int* out) {\n#line 2\n  asm volatile(\"nop\");\n#line 9\n"
                         "  out[0] = 1;\n}\n"),
              HasSubstr("inline assembly is not supported"));
}

// Nothing is made of what the kernel does not use, whatever it says of itself.
TEST_F(Reach, NothingOfTheRestIsCompiled) {
  EXPECT_EQ(message_of("__attribute__((used)) static int kept() { asm volatile(\"nop\"); return 1; }\n"
                       "__attribute__((constructor)) static void early() {}\n"
                       "constant int made = kept();\nkernel void k(device int* out) { out[0] = 1; }\n"),
            "");
}

// A word of Metal's that takes another looks at what it is given.
TEST_F(Reach, WordsOfTheHostWithinWordsOfMetal) {
  EXPECT_THAT(
      message_of("kernel void k(device int* out) {\n"
                 "  out[0] = is_function_constant_defined(__builtin_return_address(0)) ? 1 : 2;\n}\n"),
      HasSubstr("x.metal:2: `__builtin_return_address`"));
}

// An instance that the text asks for, and that another function uses: it is made once.
TEST_F(Reach, ExplicitInstantiationsOfFunctionsThatAreUsed) {
  EXPECT_EQ(message_of("template <class T> T twice(T x) { return x + x; }\n"
                       "template int twice<int>(int);\ntemplate float twice<float>(float);\n"
                       "template <class T> struct Box { T x; T get() const thread { return x; } };\n"
                       "template struct Box<int>;\n"
                       "kernel void k(device int* out) { Box<int> b{twice(out[0])}; out[0] = b.get(); }\n"),
            "");
}

TEST_F(Reach, OverloadsThatAddressSpacesAloneTellApart) {
  const std::string same =
      "int f(device int* a) { return a[0]; }\nint f(threadgroup int* b) { return b[0]; }\n";
  const std::string other =
      "int f(device int* a) { return a[0]; }\nint f(threadgroup int* b) { return b[1]; }\n";
  const std::string kernel = "kernel void k(device int* x) { x[0] = f(x); }";
  EXPECT_EQ(message_of(same + kernel), "");
  EXPECT_THAT(message_of(other + kernel),
              HasSubstr("x.metal:2: `f` differs from the one at x.metal:1 only by address space"));
  EXPECT_EQ(message_of(other + "kernel void k(device int* x) {}"), "");  // nobody calls them
  EXPECT_THAT(
      message_of("int f(device int* a) { return a[0]; }\nint f(device int* a) { return a[0]; }\n" + kernel),
      HasSubstr("x.metal:2: redefinition of 'f'"));
}

TEST_F(Reach, MembersThatAddressSpacesAloneTellApart) {
  EXPECT_EQ(message_of("struct S {\n  int x;\n"
                       "  S() thread = default;\n  S() threadgroup = default;\n  S() constant = default;\n"
                       "  S(int v) thread : x(v) {}\n  S(int v) constant : x(v) {}\n"
                       "  int at(int i) const thread { return x + i; }\n"
                       "  int at(int j) const device { return x + j; }\n"
                       "  int at(int k) constant { return x + k; }\n"
                       "  int operator[](int i) const thread { return x; }\n"
                       "  const device int& operator[](int i) const device { return x; }\n"
                       "  template <class T> T as() const thread { return T(x); }\n"
                       "  template <class T> T as() const threadgroup { return T(x); }\n"
                       "  operator float() const thread { return x; }\n"
                       "  operator float() const device { return x; }\n};\n"
                       "kernel void k(device S* in, device int* out) {\n"
                       "  S s(3); out[0] = s.at(1) + in->at(1) + s[0] + s.as<int>() + int(float(s));\n}\n"),
            "");
}

// A copy that is defaulted does something: only a constructor that takes nothing does not.
TEST_F(Reach, DefaultedCopiesAreNotIdle) {
  const std::string head = "struct S {\n int x;\n S() thread : x(1) {}\n S() threadgroup = default;\n";
  const std::string first = "struct S {\n int x;\n S() threadgroup = default;\n S() thread : x(1) {}\n";
  const std::string kernel = "};\nkernel void k(device int* x) { S s; x[0] = s.x; }";
  EXPECT_EQ(message_of(head + kernel), "");
  EXPECT_EQ(message_of(first + kernel), "");
  EXPECT_THAT(message_of(head +
                         " S(const thread S& s) thread : x(s.x + 1) {}\n"
                         " S(const thread S& s) threadgroup = default;\n" +
                         kernel),
              HasSubstr("x.metal:6: `S` differs from the one at x.metal:5 only by address space"));
}

TEST_F(Reach, ConstTellsOverloadsApart) {
  KernelRun kernel(
      directory_.write("x.metal",
                       "int f(device int* a) { return 1; }\nint f(constant int* a) { return 2; }\n"
                       "int f(device uint* a) { return 3; }\n"
                       "kernel void k(device int* x, constant int* y, device uint* z) {\n"
                       "  x[0] = f(x) * 100 + f(y) * 10 + f(z);\n}\n"),
      "k");
  kernel.buffer(0, std::vector<int>(1)).buffer(1, std::vector<int>(1)).buffer(2, std::vector<unsigned>(1));
  kernel.grid({1, 1, 1}, {1, 1, 1});
  EXPECT_EQ(kernel.run(simulator::Mode::fast).values<int>(0)[0], 123);
}

TEST_F(Reach, KernelsThatAreNotThereAreNamed) {
  EXPECT_EQ(message_of("kernel void other() {}\nnamespace n { [[host_name(\"x\")]] kernel void e() {} }"),
            "x.metal: no kernel function `k`; the file has: other, x");
  EXPECT_EQ(message_of("constant int x = 1;"), "x.metal: no kernel function `k`; the file has none");
  EXPECT_EQ(
      message_of("template <int N> kernel void k() {}\ntemplate [[host_name(\"k_1\")]] kernel void k<1>();"),
      "x.metal: kernel `k` is a template; name one of its instantiations: the file has: k_1");
  EXPECT_THAT(message_of("\nkernel void k(device int* a) {\n if (a) {\n}\n"),
              HasSubstr("x.metal:2: expected"));
}

// Each word stays on its line, whatever is spelled otherwise, or read again, ahead of it.
RC_GTEST_PROP(ReachLines, OfWhatIsWrongAreThoseOfTheText, ()) {
  const auto pieces =
      *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::vector<std::string>{
          "typedef half\n AT __attribute__((\n ext_vector_type(4)));\n",
          "int AT(device\n int* a) { return a[0]; }\nint AT(threadgroup\n int* a) { return a[0]; }\n",
          "union AT { half4 h; uint\n u[2]; };\nvoid of_AT(device AT* p) {\n AT a; a = *p; }\n",
          "template <int N> int AT() { return N; }\ntemplate int\n AT<3>();\n",
          "constant half AT =\n 1.5H;\n", "/* x\n\n */",
          "void AT(device int* a) {\n#pragma unroll\n for (int i = 0; i < 2; ++i) a[i] = 0; }\n",
          "struct AT { int x; AT(int v)\n constant : x(v) {} int get()\n constant { return x; } };\n",
          "void AT(coherent\n device int* p) {}\n"}));
  std::string text = "#include <metal_stdlib>\nusing namespace metal;\n";
  for (std::size_t i = 0; i < pieces.size() && i < 8; ++i)
    text += std::regex_replace(pieces[i], std::regex("AT"), "word" + std::to_string(i));
  text += "kernel void k(device int* out) {\n out[0] = 1;\n";
  const auto line = std::count(text.begin(), text.end(), '\n') + 1;
  text += " out[1] = undeclared;\n}\n";
  const TemporaryDirectory directory;
  KernelRun kernel(directory.write("x.metal", text), "k");
  const auto said = compile_variants(kernel.source(), {preprocess(kernel.source())}, {}).front().error;
  RC_ASSERT(said.find("x.metal:" + std::to_string(line) + ": use of undeclared identifier") != said.npos);
}

}  // namespace
}  // namespace assay::metal
