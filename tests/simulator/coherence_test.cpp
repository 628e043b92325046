// Device memory that one threadgroup writes and another reads: coherent(device), beside the fences.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/simulator/kernel_fixture.hpp"

namespace assay::simulator {
namespace {

using device::FaultKind;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kFence =
    "atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);\n";

// Each threadgroup leaves a number; the last to count in at in[0] adds them up. `put` and `got` leave and
// read that of threadgroup g.
std::string last_adds_up(const std::string& put, const std::string& got) {
  return "if (i != 0) return; uint g = group;\n" + put + "\n" + kFence +
         "const uint before = atomic_fetch_add_explicit((device atomic_uint*)in, 1u, "
         "memory_order_relaxed);\n" +
         kFence + "uint sum = 0;\nif (before == 3) for (g = 0; g < 4; ++g)\n sum += " + got +
         ";\nif (before == 3) out[0] = sum;";
}
const std::string kPlain = last_adds_up("out[64 + g] = 5 + g;", "out[64 + g]");
const std::string kAtomic =
    last_adds_up("atomic_store_explicit((device atomic_uint*)out + 64 + g, 5 + g, memory_order_relaxed);",
                 "atomic_load_explicit((device atomic_uint*)out + 64 + g, memory_order_relaxed)");

Ran ran_as(const std::string& body, const char* coherent, unsigned version = device::kMetalVersion,
           std::uint64_t schedule = 0) {
  return run_body(Mode::checked, body,
                  {.threadgroups = {4, 1, 1},
                   .words = 128,
                   .schedule = schedule,
                   .coherent = coherent,
                   .metal_version = version});
}

TEST(Coherence, MemoryBetweenThreadgroupsMustBeDeclaredSo) {
  for (std::uint64_t schedule = 0; schedule < 6; ++schedule) {
    const auto ran = ran_as(kPlain, "", device::kMetalVersion, schedule);
    ASSERT_THAT(ran.kinds(), ElementsAre(FaultKind::race)) << ran.text();
    const auto& fault = ran.report.faults[0];
    EXPECT_THAT(fault.message, HasSubstr("declare it `device coherent(device)`"));
    EXPECT_THAT(fault.message, HasSubstr("`out` at byte 256"));
    EXPECT_EQ(fault.place.line, 8u) << ran.text();
    ASSERT_EQ(fault.accesses.size(), 2u);
    EXPECT_EQ(fault.accesses[1].place.line, 2u);
    EXPECT_EQ(fault.scope, 2u);
  }
}

TEST(Coherence, WhereItIsDeclaredSoNothingIsSaid) {
  for (const char* coherent : {"coherent(device)", "coherent", "volatile coherent(system)"}) {
    for (std::uint64_t schedule = 0; schedule < 6; ++schedule) {
      const auto ran = ran_as(kPlain, coherent, device::kMetalVersion, schedule);
      EXPECT_TRUE(ran.report.clean()) << coherent << "\n" << ran.text();
      EXPECT_EQ(ran.out[0], 26u);
    }
  }
}

TEST(Coherence, AtomicsNeedNone) {
  const auto ran = ran_as(kAtomic, "");
  EXPECT_TRUE(ran.report.clean()) << ran.text();
}

TEST(Coherence, OneSideThatIsAtomicDoesNotHelpTheOther) {
  for (const auto& body :
       {last_adds_up("out[64 + g] = 5 + g;",
                     "atomic_load_explicit((device atomic_uint*)out + 64 + g, memory_order_relaxed)"),
        last_adds_up("atomic_store_explicit((device atomic_uint*)out + 64 + g, 5 + g, "
                     "memory_order_relaxed);",
                     "out[64 + g]")}) {
    EXPECT_THAT(ran_as(body, "").kinds(), ElementsAre(FaultKind::race));
    EXPECT_TRUE(ran_as(body, "coherent(device)").report.clean());
  }
}

TEST(Coherence, BeforeMetal32AllDeviceMemoryWas) {
  EXPECT_TRUE(ran_as(kPlain, "", 310).report.clean());
  EXPECT_FALSE(ran_as(kPlain, "", 400).report.clean());
}

TEST(Coherence, WhatThreadgroupsReadAndWriteForThemselvesNeedsNone) {
  const auto ran = ran_as(
      "out[64 + group] = i == 0 ? group : 0; threadgroup_barrier(mem_flags::mem_device);\n" + kPlain, "");
  EXPECT_THAT(ran.kinds(), testing::Contains(FaultKind::race));
  const auto own = ran_as(
      "if (i == 0) { atomic_fetch_add_explicit((device atomic_uint*)in, 1u, memory_order_relaxed);\n"
      "out[group] = in[4] + group; out[group] += out[group]; }",
      "");
  EXPECT_TRUE(own.report.clean()) << own.text();
}

// Handed on to a variable or to a function that says so.
TEST(Coherence, MayBeSaidWhereTheMemoryIsUsed) {
  for (const char* all : {"device coherent(device) uint* all = out + 64;\n",
                          "volatile coherent(device) device uint* all = (volatile "
                          "coherent(device) device uint*)(out + 64);\n"}) {
    const auto ran = ran_as(all + last_adds_up("all[g] = 5 + g;", "all[g]"), "");
    EXPECT_TRUE(ran.report.clean()) << ran.text();
  }
  const auto ran =
      run_body(Mode::checked, last_adds_up("leave(out + 64, g);", "of(out + 64, g)"),
               {.threadgroups = {4, 1, 1}, .words = 128, .coherent = ""}, "",
               "using Cells = device coherent(device) uint*;\n"
               "static void leave(device coherent(device) uint* all, uint g) { all[g] = 5 + g; }\n"
               "static uint read(device coherent(device) uint* at) { return *at; }\n"
               "static uint of(device uint* cells, uint g) { return read(cells + g); }\n");
  EXPECT_TRUE(ran.report.clean()) << ran.text();
}

}  // namespace
}  // namespace assay::simulator
