// Many variants of a kernel compiled at once: each is what it would be alone.
#include "harness/metal/compile/variants.hpp"

#include <gmock/gmock.h>

#include "harness/metal/text/preprocess.hpp"
#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

using testing::HasSubstr;

// A kernel whose threadgroup array has `size` elements and which stores `value`.
std::string text_of(const std::string& size, const std::string& value) {
  return "# 1 \"k.metal\"\nusing namespace metal;\n"
         "kernel void k(device uint* p [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {\n"
         "  threadgroup uint t[" +
         size +
         "];\n"
         "  t[i] = " +
         value +
         ";\n"
         "  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
         "  p[i] = t[i];\n"
         "}\n";
}

device::KernelSource source() {
  device::KernelSource one;
  one.path = "k.metal";
  one.function = "k";
  return one;
}

TEST(Variants, EachHasItsOwnThreadgroupMemoryAndEntry) {
  for (const auto flavour : {Flavour::fast, Flavour::checked}) {
    const auto compiled = compile_variants(source(), {text_of("32", "1"), text_of("64", "2")}, {flavour});
    ASSERT_TRUE(compiled[0].module && compiled[1].module) << compiled[0].error << compiled[1].error;
    EXPECT_EQ(compiled[0].module->threadgroup_variables().at(0).size_bytes, 128u);
    EXPECT_EQ(compiled[1].module->threadgroup_variables().at(0).size_bytes, 256u);
    EXPECT_NE(compiled[0].module->entry(), compiled[1].module->entry());
    EXPECT_EQ(compiled[1].module->parameters().at(0).name, "p");
  }
}

TEST(Variants, OneThatDoesNotCompileLeavesTheOthers) {
  const auto compiled = compile_variants(
      source(),
      {text_of("32", "1"), text_of("32", "nothing"), text_of("0x7fffffffffffffff", "2"), text_of("32", "3")},
      {Flavour::fast});
  EXPECT_TRUE(compiled[0].module) << compiled[0].error;
  EXPECT_FALSE(compiled[1].module);
  EXPECT_THAT(compiled[1].error, HasSubstr("nothing"));
  EXPECT_FALSE(compiled[2].module);
  EXPECT_NE(compiled[2].error, "");
  EXPECT_TRUE(compiled[3].module) << compiled[3].error;
}

TEST(Variants, OfAProductOfTensors) {
  auto product = source();
  product.path = source_path("conformance/tensors.metal");
  product.function = "short_row";
  const auto text = preprocess(product);
  auto other = text;
  other.replace(other.find("left.slice<16, 16>(8, 0)"), 24, "left.slice<16, 16>(4, 0)");
  const auto compiled = compile_variants(product, {text, other, text}, {Flavour::fast});
  for (const auto& one : compiled) EXPECT_TRUE(one.module) << one.error;
  EXPECT_EQ(compiled[0].code, compiled[2].code);
  EXPECT_NE(compiled[0].code, compiled[1].code);
}

TEST(Variants, TextThatCannotBeLoweredIsRefusedByItself) {
  const auto compiled =
      compile_variants(source(), {text_of("32", "1"), "kernel void other() {}"}, {Flavour::fast});
  EXPECT_TRUE(compiled[0].module) << compiled[0].error;
  EXPECT_THAT(compiled[1].error, HasSubstr("no kernel function `k`"));
}

// Other values, other threadgroup memory, other limits.
TEST(Variants, CodeTellsProgramsApart) {
  const auto one = text_of("32", "1");
  auto limited = one;
  limited.insert(limited.find("kernel void"), "[[max_total_threads_per_threadgroup(64)]] ");
  const auto compiled = compile_variants(
      source(), {one, text_of("32", "0 + 1"), text_of("32", "2"), text_of("64", "1"), limited},
      {Flavour::fast});
  const auto alone = compile_variants(source(), {one}, {Flavour::fast});
  EXPECT_NE(alone[0].code, "");
  EXPECT_EQ(compiled[0].code, alone[0].code);
  EXPECT_EQ(compiled[1].code, alone[0].code);
  for (const std::size_t other : {2, 3, 4}) {
    EXPECT_NE(compiled[other].code, "") << compiled[other].error;
    EXPECT_NE(compiled[other].code, alone[0].code) << other;
  }
}

// Branches, tables, floating-point constants, calls that are not inlined.
TEST(Variants, CodeOfLargeKernelsDoesNotDependOnTheirNumber) {
  for (const char* name : {"marlin_gemm_fused_u4", "fused_rans_gemm", "gemm_trellis_moe"}) {
    device::KernelSource kernel;
    kernel.path = std::filesystem::path(ASSAY_SOURCE_DIR) / "kernels" / (std::string(name) + ".metal");
    kernel.function = name;
    const auto text = preprocess(kernel);
    const auto compiled = compile_variants(kernel, {text, text, text}, {Flavour::fast});
    ASSERT_TRUE(compiled[0].module) << compiled[0].error;
    EXPECT_NE(compiled[0].code, "") << name;
    EXPECT_EQ(compiled[0].code, compiled[1].code) << name;
    EXPECT_EQ(compiled[0].code, compiled[2].code) << name;
  }
}

// How threadgroups are run, and how the checker keeps its records, follows from these.
TEST(Variants, EachUsesWhatItUsesAlone) {
  const auto plain = text_of("32", "1");
  const auto atomic =
      text_of("32", "atomic_fetch_add_explicit((device atomic_uint*)p, 1u, memory_order_relaxed)");
  const auto bytes = text_of("32", "((device uchar*)p)[i]");
  for (const auto flavour : {Flavour::fast, Flavour::checked}) {
    const auto compiled = compile_variants(source(), {atomic, plain, bytes}, {flavour});
    for (const auto& one : compiled) ASSERT_TRUE(one.module) << one.error;
    EXPECT_TRUE(compiled[0].module->has_atomics());
    EXPECT_FALSE(compiled[1].module->has_atomics());
    EXPECT_FALSE(compiled[2].module->has_atomics());
    EXPECT_FALSE(compiled[0].module->has_byte_accesses());
    EXPECT_FALSE(compiled[1].module->has_byte_accesses());
    EXPECT_EQ(compiled[2].module->has_byte_accesses(), flavour == Flavour::checked);
  }
}

}  // namespace
}  // namespace assay::metal
