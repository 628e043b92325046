// Variables in program scope that the library's types and operators initialise: the compiler has to compute
// them, as nothing of a kernel's runs while it is loaded (harness/metal/clang/constants.hpp).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

struct ConstantCase {
  const char* name;
  const char* declaration;  ///< of `c`, in program scope
  const char* elements;     ///< of it, for the list of a `float` array
  std::vector<float> values;
};
void PrintTo(const ConstantCase& one, std::ostream* out) { *out << one.name; }

const std::vector<ConstantCase> kConstants = {
    {"matrix_of_columns",
     "float3x2 c = float3x2(float2(1, 2), float2(3, 4), float2(5, 6));",
     "c[0][1], c[1][0], c[2][1]",
     {2, 3, 6}},
    {"matrix_of_elements", "float2x2 c(1, 2, 3, 4);", "c[0].x, c[0].y, c[1].x, c[1].y", {1, 2, 3, 4}},
    {"matrix_of_halves",
     "half2x4 c = half2x4(half4(1, 2, 3, 4), half4(5, 6, 7, 8));",
     "float(c[0].w), float(c[1].z)",
     {4, 7}},
    {"diagonal_matrix", "float4x4 c = float4x4(2.0f);", "c[0][0], c[3][3], c[3][2]", {2, 2, 0}},
    {"array_of_matrices",
     "float2x2 c[2] = {float2x2(1), float2x2(1, 2, 3, 4)};",
     "c[0][0][1], c[1][1][0]",
     {0, 3}},
    {"packed_vector", "packed_float3 c = packed_float3(1, 2, 3);", "c.x, c[1], c.z", {1, 2, 3}},
    {"packed_vectors",
     "packed_half2 c[2] = {packed_half2(1, 2), packed_half2(4)};",
     "float(c[0].y), float(c[1].y)",
     {2, 4}},
    {"vector_times_scalar", "float3 c = float3(1, 2, 3) * 2.0f - 1.0f;", "c.x, c.y, c.z", {1, 3, 5}},
    {"vector_by_vector", "float2 c = float2(8, 9) / float2(2, 3);", "c.x, c.y", {4, 3}},
    {"negative_vector", "float4 c = -float4(1, 2, 3, 4);", "c.x, c.w", {-1, -4}},
    {"halves_rounded_once",
     "half2 c = half2(1, 2049) + half2(0x1p-12h, 0);",
     "float(c.x), float(c.y)",
     {1, 2048}},
    {"vector_of_bits",
     "uint2 c = (uint2(0xFF, 0xF0) & 0x3C) | uint2(1, 2) ^ 2;",
     "float(c.x), float(c.y)",
     {0x3F, 0x30}},
    {"vector_remainder", "int2 c = int2(7, -7) % 4;", "float(c.x), float(c.y)", {3, -3}},
};

class Constants : public testing::TestWithParam<ConstantCase> {};

TEST_P(Constants, AreComputedByTheCompiler) {
  const auto& one = GetParam();
  const TemporaryDirectory folder;
  const auto path = folder.write(
      "k.metal", std::string("#include <metal_stdlib>\nusing namespace metal;\nconstant ") + one.declaration +
                     "\nkernel void k(device float* out [[buffer(0)]]) {\n  const float all[] = {" +
                     one.elements + "};\n  for (uint i = 0; i < sizeof(all) / 4; ++i) out[i] = all[i];\n}\n");
  for (const auto mode : {simulator::Mode::fast, simulator::Mode::checked}) {
    const auto finished = KernelRun(path, "k")
                              .buffer<float>(0, std::vector<float>(one.values.size()))
                              .grid({1, 1, 1}, {1, 1, 1})
                              .run(mode);
    EXPECT_EQ(finished.values<float>(0), one.values);
    EXPECT_TRUE(finished.report.faults.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, Constants, testing::ValuesIn(kConstants),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace assay::metal
