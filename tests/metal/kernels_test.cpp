// Kernels as the syntax tree has them: which one a name means, what its parameters are, function constants.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/metal/compile/errors.hpp"
#include "harness/metal/module/module.hpp"

namespace assay::metal {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Pair;

class KernelsOfTheTree : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(file_); }

  std::shared_ptr<const KernelModule> made(const std::string& text, const std::string& function = "k",
                                           const std::map<std::uint32_t, std::string>& constants = {}) const {
    std::ofstream(file_) << text;
    device::KernelSource source;
    source.path = file_;
    source.function = function;
    source.function_constants = constants;
    return compile(source, Flavour::fast);
  }
  std::string refusal(const std::string& text,
                      const std::map<std::uint32_t, std::string>& constants = {}) const {
    try {
      made(text, "k", constants);
    } catch (const SourceError& error) {
      return error.what();
    }
    return "accepted";
  }
  static std::vector<std::pair<std::string, int>> parameters(const KernelModule& module) {
    std::vector<std::pair<std::string, int>> all;
    for (const auto& one : module.parameters()) all.emplace_back(one.name, one.index);
    return all;
  }

  const std::filesystem::path file_ =
      std::filesystem::temp_directory_path() /
      fmt::format("assay-kernels-{}-{}.metal", testing::UnitTest::GetInstance()->current_test_info()->name(),
                  getpid());
};

TEST_F(KernelsOfTheTree, BuffersWithoutAnIndexTakeThoseThatAreFree) {
  const auto module = made(
      "constant constexpr int kB = 1;\n"
      "kernel void k(device int* a, device int* b [[buffer(kB)]], constant int& c, threadgroup int* d,\n"
      "              threadgroup int* e) { *a = c; *b = 1; *d = *e = 2; }\n");
  EXPECT_THAT(parameters(*module),
              ElementsAre(Pair("a", 0), Pair("b", 1), Pair("c", 2), Pair("d", 0), Pair("e", 1)));
}

TEST_F(KernelsOfTheTree, IndicesOfTemplatesAreWorkedOut) {
  const std::string text =
      "template <int N> kernel void every(device int* a [[buffer(N)]], device int* b [[buffer(N * 2 + 1)]],\n"
      "                                   uint i [[thread_position_in_grid]]) { a[i] = b[i]; }\n"
      "template [[host_name(\"two\")]] kernel decltype(every<2>) every<2>;\n"
      "template [[host_name(\"three\")]] [[kernel]] void every<3>(device int*, device int*, uint);\n";
  EXPECT_THAT(parameters(*made(text, "two")), ElementsAre(Pair("a", 2), Pair("b", 5)));
  EXPECT_THAT(parameters(*made(text, "three")), ElementsAre(Pair("a", 3), Pair("b", 7)));
}

TEST_F(KernelsOfTheTree, AttributesBehindBracketsAreOfTheParameter) {
  const auto module = made(
      "kernel void k(constant int a[4] [[buffer(3)]], constant int (&b)[2] [[buffer(1)]], device int* c) {\n"
      "  *c = a[1] + b[1];\n}\n");
  EXPECT_THAT(parameters(*module), ElementsAre(Pair("a", 3), Pair("b", 1), Pair("c", 0)));
}

TEST_F(KernelsOfTheTree, AnInstantiationHasALimitOfItsOwn) {
  const std::string text =
      "constant constexpr int kRows = 8;\n"
      "template <int N> [[max_total_threads_per_threadgroup(N * 32)]] kernel void every(device int* a) { *a "
      "= N; }\n"
      "template [[host_name(\"own\")]] kernel decltype(every<2>) every<2>;\n"
      "template [[host_name(\"other\"), max_total_threads_per_threadgroup(kRows * 2)]] kernel "
      "decltype(every<3>) "
      "every<3>;\n";
  EXPECT_EQ(made(text, "own")->max_threads_per_threadgroup(), 64u);
  EXPECT_EQ(made(text, "other")->max_threads_per_threadgroup(), 16u);
}

TEST_F(KernelsOfTheTree, FunctionConstantsTakeTheirLiterals) {
  const std::string text =
      "enum { BASE = 6 };\nconstant bool a [[function_constant(0)]];\n"
      "namespace n { constant float b [[function_constant(BASE + 1)]]; constant bool far = n::b < 0; }\n"
      "constant bool c = is_function_constant_defined(n::b);\n"
      "kernel void k(device float* x [[buffer(0), function_constant(a)]], device float* y) {\n"
      "  if (a && c && n::far) x[0] = n::b;\n  if (!a) y[0] = 1;\n}\n";
  EXPECT_THAT(parameters(*made(text, "k", {{0, "true"}, {7, "-1.5f"}})),
              ElementsAre(Pair("x", 0), Pair("y", 1)));
  EXPECT_THAT(parameters(*made(text, "k", {{0, "false"}, {7, "1"}})), ElementsAre(Pair("y", 1)));
  EXPECT_THAT(
      refusal(text, {{0, "system(1)"}}),
      EndsWith(":2: function constant 0 (`a`) has the value `system(1)`; write a number, true or false"));
  EXPECT_THAT(
      refusal("constant int n [[function_constant(3)]];\nkernel void k(device int* x) { x[0] = n; }\n"),
      HasSubstr(":1: function constant 3 (`n`) has no value"));
}

TEST_F(KernelsOfTheTree, VariablesInThreadgroupMemoryHaveSlots) {
  const auto module = made(
      "template <class T> void put(T x) { threadgroup T kept[2]; kept[0] = x; kept[1] = kept[0]; }\n"
      "kernel void k(device float* out) {\n"
      "  threadgroup half A[64][32], *p = &A[0][0], b; threadgroup half (*q)[32] = A;\n"
      "  static threadgroup float c; threadgroup float (&r)[2] = *(threadgroup float (*)[2])&c;\n"
      "  put(1.0f); put(short(1)); *p = b = 1; c = q[0][1]; *out = c + r[0];\n}\n");
  std::map<std::string, std::size_t> sizes;
  for (const auto& one : module->threadgroup_variables()) sizes[one.name] = one.size_bytes;
  EXPECT_EQ(sizes, (std::map<std::string, std::size_t>{{"A", 4096}, {"b", 2}, {"c", 4}, {"kept", 8}}));
  EXPECT_THAT(refusal("kernel void k() {\n threadgroup float x[2] = {1, 2};\n}"),
              EndsWith(":2: `x` is in threadgroup memory, where Metal allows no initialiser"));
}

TEST_F(KernelsOfTheTree, IndicesBeyondEveryTableAreOutOfRange) {
  for (const char* index : {"31", "-1", "9223372036854775807", "-9223372036854775807 - 1"}) {
    EXPECT_THAT(refusal(fmt::format("kernel void k(device int* x [[buffer({})]]) {{ *x = 1; }}\n", index)),
                EndsWith(fmt::format(":1: `x`: [[buffer({})]] is out of range; indices are 0 to 30", index)));
  }
}

// An array takes so many indices in a row; what has none of its own goes around them.
TEST_F(KernelsOfTheTree, ArraysOfTexturesAreNumberedAsAWhole) {
  const auto module = made(
      "using namespace metal;\n"
      "kernel void k(array<texture2d<float>, 3> a, texture2d<float> b [[texture(2)]], texture2d<float> c,\n"
      "              device float* out) {\n"
      "  *out = a[0].read(uint2(0)).x + b.read(uint2(0)).x + c.read(uint2(0)).x;\n}\n");
  std::map<std::string, int> indices;
  for (const auto& one : module->textures()) indices[one.name] = one.index;
  EXPECT_EQ(indices, (std::map<std::string, int>{{"a[0]", 3}, {"a[1]", 4}, {"a[2]", 5}, {"b", 2}, {"c", 6}}));
}

TEST_F(KernelsOfTheTree, NamesThatNobodyHas) {
  EXPECT_THAT(refusal("kernel void other() {}\nnamespace n { [[host_name(\"x\")]] kernel void e() {} }"),
              EndsWith(": no kernel function `k`; the file has: other, x"));
  EXPECT_THAT(refusal("int x();"), EndsWith(": no kernel function `k`; the file has none"));
  EXPECT_THAT(
      refusal("template <int N> kernel void k() {}\ntemplate [[host_name(\"k_1\")]] kernel void k<1>();"),
      EndsWith(": kernel `k` is a template; name one of its instantiations: the file has: k_1"));
}

TEST_F(KernelsOfTheTree, ParametersThatNothingCanBeBoundTo) {
  EXPECT_THAT(refusal("kernel void k(\n float x) {}"),
              EndsWith(":2: parameter `x` of kernel k has no attribute that says what it stands for"));
  EXPECT_THAT(refusal("kernel void k(\n\n device float* t [[texture(0)]]) {}"),
              EndsWith(":3: `t` has [[texture]], so it must not be a pointer"));
  EXPECT_THAT(refusal("kernel void k(float x [[buffer(0)]]) {}"),
              EndsWith(":1: `x` has [[buffer]] but is neither a pointer nor a reference"));
  EXPECT_THAT(refusal("kernel void k(metal::float4 v [[stage_in]]) {}"),
              EndsWith(":1: parameter `v`: the attribute [[stage_in]] is not supported"));
  EXPECT_THAT(refusal("struct A {\n device int* p [[id(0)]];\n device int* q [[id(0)]];\n};\n"
                      "kernel void k(constant A& a) {}"),
              EndsWith(":3: `q`: [[id(0)]] is taken by `p`"));
}

}  // namespace
}  // namespace assay::metal
