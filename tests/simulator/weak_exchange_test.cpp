// Exchanges that may fail without a reason.
#include <gtest/gtest.h>

#include "tests/simulator/kernel_fixture.hpp"

namespace assay::simulator {
namespace {

const Shape kOne{.threads = {32, 1, 1}, .words = 64};
// Of each thread, on a word of its own, so that nothing but the machine lets it fail: how often out of eight.
const char* const kEight =
    "device atomic_uint* mine = (device atomic_uint*)in + i; uint failures = 0, in_a_row = 0;\n"
    "for (uint k = 0; k < 8; ++k) {\n"
    " uint old = atomic_load_explicit(mine, memory_order_relaxed);\n"
    " const uint expected = old;\n"
    " if (atomic_compare_exchange_weak_explicit(mine, &old, old + 1, memory_order_relaxed, "
    "memory_order_relaxed)) "
    "{ in_a_row = 0; continue; }\n"
    " failures += 1 + 100 * (old != expected) + 10000 * in_a_row; in_a_row = 1;\n"
    "}\nout[i] = failures;";

TEST(WeakExchange, FailsUnderSomeSchedulesNeverTwiceInARowAndLeavesTheValue) {
  for (const Mode mode : {Mode::fast, Mode::checked}) {
    BodyKernel kernel(mode, kEight, kOne);
    std::uint32_t failures = 0;
    for (std::uint64_t schedule = 1; schedule <= 10; ++schedule) {
      const auto ran = kernel.run(schedule);
      EXPECT_TRUE(ran.report.clean()) << ran.text();
      for (std::uint32_t i = 0; i < 32; ++i) {
        EXPECT_LE(ran.out[i], 4u);
        failures += ran.out[i];
      }
    }
    EXPECT_GT(failures, 200u);
    const auto plain = kernel.run(0);
    for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(plain.out[i], 0u) << "schedule 0 is a plain one";
  }
}

TEST(WeakExchange, ALoopAroundItComesOutRight) {
  for (const Mode mode : {Mode::fast, Mode::checked}) {
    BodyKernel kernel(
        mode,
        "device atomic_uint* sum = (device atomic_uint*)in; uint old = 0;\n"
        "while (!atomic_compare_exchange_weak_explicit(sum, &old, old + i, memory_order_relaxed, "
        "memory_order_relaxed)) {}\n"
        "threadgroup_barrier(mem_flags::mem_device);\n"
        "out[i] = atomic_load_explicit(sum, memory_order_relaxed);",
        kOne);
    for (std::uint64_t schedule = 0; schedule < 10; ++schedule) {
      const auto ran = kernel.run(schedule);
      EXPECT_TRUE(ran.report.clean()) << ran.text();
      EXPECT_EQ(ran.out[5], 496u) << "schedule " << schedule;
    }
  }
}

}  // namespace
}  // namespace assay::simulator
