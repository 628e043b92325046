// A kernel among others: what it does not use is not in its way, whatever it is; and functions that address
// spaces alone tell apart.
#include <gmock/gmock.h>

#include "harness/metal/errors.hpp"
#include "harness/metal/live.hpp"
#include "harness/metal/module.hpp"
#include "harness/metal/preprocess.hpp"
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
    const auto live = live_tokens(tokens, kernel.source());
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
  EXPECT_THAT(message_of("\nkernel void k(device int* a) {\n if (a) {\n}\n"), HasSubstr("x.metal:2: expected"));
}

// Each word stays on its line, whatever is spelled otherwise ahead of it.
TEST_F(Reach, LinesOfWhatIsSpelledOtherwise) {
  const std::string head =
      "typedef half\n  h4 __attribute__((\n  ext_vector_type(4)));\n"
      "int f(device\n int* a) { return a[0]; }\nint f(threadgroup\n int* a) { return a[0]; }\n"
      "union U { half4 h; uint\n u[2]; };\ntemplate <int N> int g() { return N; }\n"
      "template int\n g<3>();\n";
  EXPECT_THAT(message_of("#include <metal_stdlib>\nusing namespace metal;\n" + head +
                         "kernel void k(device int* x) {\n h4 v = h4(1.0H);\n U a, b; a.h = v; b = a;\n"
                         " x[0] = f(x) + g<3>() + b.u[0];\n x[1] = undeclared;\n}\n"),
              HasSubstr("x.metal:19: use of undeclared identifier 'undeclared'"));
}

}  // namespace
}  // namespace assay::metal
