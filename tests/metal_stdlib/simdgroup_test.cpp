#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/metal_stdlib/fake_runtime.hpp"

extern "C" {
void simd_reductions();
void simd_reductions_skip_lanes_that_ended();
void simd_scans();
void simd_shuffles();
void simd_votes();
void quad_functions();
void atomic_functions(void* memory);
void synchronization_tells_flags_order_and_place(void* memory);
}

namespace {

TEST(Simdgroup, Reductions) { fake::run_simdgroup(simd_reductions); }
TEST(Simdgroup, ReductionsSkipLanesThatEnded) { fake::run_simdgroup(simd_reductions_skip_lanes_that_ended); }
TEST(Simdgroup, Scans) { fake::run_simdgroup(simd_scans); }
TEST(Simdgroup, Shuffles) { fake::run_simdgroup(simd_shuffles); }
TEST(Simdgroup, Votes) { fake::run_simdgroup(simd_votes); }
TEST(Quadgroup, Functions) { fake::run_simdgroup(quad_functions); }

TEST(Atomics, EveryOperationOnEveryType) {
  std::vector<std::uint64_t> memory(4, 0);
  fake::run_simdgroup([&] { atomic_functions(memory.data()); });
}

TEST(Synchronization, TellsFlagsOrderAndPlace) {
  std::uint32_t memory = 0;
  const auto report = fake::run_simdgroup([&] { synchronization_tells_flags_order_and_place(&memory); });
  ASSERT_EQ(report.calls.size(), 6u);
  const std::vector<std::string> names = {
      "threadgroup_barrier", "threadgroup_barrier", "simdgroup_barrier", "fence", "atomic32", "collective"};
  const std::vector<std::vector<unsigned long>> arguments = {{2}, {1}, {0}, {1, 4, 2}, {3, 3, 0, 3}, {4}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(report.calls[i].name, names[i]);
    EXPECT_EQ(report.calls[i].arguments, arguments[i]) << names[i];
    EXPECT_EQ(report.calls[i].line, 1001 + i) << names[i];
    EXPECT_EQ(report.calls[i].file, "kernel.metal") << names[i];
  }
  EXPECT_EQ(memory, 96u);
}

}  // namespace
