// Which simdgroup barriers are waited at by lane 0 alone: never those that an argument's value depends on.
#include <gtest/gtest.h>

#include "harness/metal/compile/variants.hpp"
#include "harness/metal/text/preprocess.hpp"
#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

// Is there a simdgroup barrier that only lane 0 waits at, where `work` stands between two of them?
bool has_early_barrier(const std::string& work) {
  const std::string kernel =
      "#include <metal_stdlib>\nusing namespace metal;\n"
      "struct Info { uint offset; uint at(uint i) thread { return offset + i; } }; struct Sums { "
      "simdgroup_float8x8 at[2][2]; };\n"
      "void f(threadgroup Info& tile, threadgroup uint& first);\n"
      "kernel void k(device uint& origin, device half* in, constant uint& width, threadgroup half* tile) {\n"
      "threadgroup Info info, &alias = info; threadgroup uint where[2], one, *p = where; auto& same = info;\n"
      "threadgroup half (*rows)[64], row[64]; Info own; Sums sums; uint k, n; simdgroup_half8x8 a, b;\n"
      "simdgroup_barrier(mem_flags::mem_threadgroup); " +
      work + "\nsimdgroup_barrier(mem_flags::mem_threadgroup); k = 0; }";
  const TemporaryDirectory directory;
  KernelRun run(directory.write("k.metal", kernel), "k");
  const auto compiled = compile_variants(run.source(), {preprocess(run.source())}, {}).front();
  EXPECT_EQ(compiled.error, "") << work;
  return compiled.code.find("assay_simdgroup_arrive_early") != compiled.code.npos;
}

TEST(EarlyBarriers, WhereArgumentsAreAddresses) {
  for (const char* work :
       {"simdgroup_load(a, tile, 8);", "simdgroup_load(a, tile + (own.offset + 8 * k) * 64 + n, 64);",
        "simdgroup_load(a, row + k, width);", "simdgroup_load(a, in + k * 8, 8, ulong2(0, min(k, n)));",
        "simdgroup_load(a, row - 1, sizeof(half) * 4); simdgroup_store(b, (threadgroup half*)row, 8);",
        ("for (uint m = 0; m < 2; ++m) { simdgroup_multiply_accumulate(sums.at[m][k + n], a, b, "
         "sums.at[m][0]); }")}) {
    EXPECT_TRUE(has_early_barrier(work)) << work;
  }
}

TEST(EarlyBarriers, NotWhereArgumentsMayReadMemory) {
  for (const char* work :
       {"simdgroup_load(a, tile + where[0], 8);", "simdgroup_load(a, tile + info.offset, 8);",
        "simdgroup_load(a, tile + alias.offset, 8);", "simdgroup_load(a, tile + same.offset, 8);",
        "simdgroup_load(a, tile, one);", "simdgroup_load(a, in + origin, 8);",
        "simdgroup_load(a, tile + *p, 8);", "simdgroup_store(a, tile + 8 * *p, 8);",
        "simdgroup_store(a, tile, 8, ulong2(p[1], 0));", "simdgroup_load(a, tile + own.at(k), 8);",
        "simdgroup_load(a, tile + (&info)->offset, 8);", "simdgroup_multiply(sums.at[where[0]][0], a, b);",
        "simdgroup_multiply(sums.at[one][0], a, b);",
        "for (uint m = 0; m < one; ++m) simdgroup_load(a, tile + m, 8);",
        "for (uint m = 0; m < *p; ++m) simdgroup_load(a, tile + m, 8);"}) {
    EXPECT_FALSE(has_early_barrier(work)) << work;
  }
}

}  // namespace
}  // namespace assay::metal
