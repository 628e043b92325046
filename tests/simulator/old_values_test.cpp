// Loads of atomics that give an older value: where a GPU may, and nowhere else.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/simulator/kernel_fixture.hpp"

namespace assay::simulator {
namespace {

using testing::IsEmpty;
using testing::Not;

constexpr std::uint64_t kSchedules = 48;

BodyKernel kernel(const std::string& body, std::uint32_t threadgroups) {
  // X(n): the n-th word of `in` as an atomic; Y(n): of `out`.
  return {Mode::checked,
          body,
          {.threadgroups = {threadgroups, 1, 1}, .words = 384},
          "",
          "#define X(n) ((device atomic_uint*)in + (n))\n#define Y(n) ((device atomic_uint*)out + (n))\n"
          "#define LOAD(at) atomic_load_explicit(at, memory_order_relaxed)\n"
          "#define STORE(at, value) atomic_store_explicit(at, value, memory_order_relaxed)\n"
          "#define FENCE(order) atomic_thread_fence(mem_flags::mem_device, memory_order_##order, "
          "thread_scope_device)\n"};
}

// Every threadgroup publishes 64 partial sums that are atomics themselves; the last to count itself in adds
// all of them up into out[0..63].
std::string lost_change(const std::string& barrier, const std::string& before, const std::string& after) {
  return "threadgroup uint arrived; STORE(Y(64 + group * 64 + i), i + group);\n"
         "threadgroup_barrier(mem_flags::" +
         barrier + ");\nif (i == 0) {\n" + before +
         "\narrived = atomic_fetch_add_explicit(X(0), 1, memory_order_relaxed);\n" + after +
         "\n}\nthreadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);\n"
         "if (arrived == 3) {\n uint sum = 0;\n"
         " for (uint g = 0; g < 4; ++g) sum += LOAD(Y(64 + g * 64 + i));\n out[i] = sum;\n}";
}

bool summed(const Ran& ran) {
  for (std::uint32_t i = 0; i < 64; ++i) {
    if (ran.out[i] != 4 * i + 6) return false;
  }
  return true;
}

TEST(OldValues, AreNotSeenBehindFencesOnBothSides) {
  for (const auto& [before, after] :
       {std::pair{"FENCE(seq_cst);", "FENCE(seq_cst);"}, std::pair{"FENCE(release);", "FENCE(acquire);"}}) {
    auto summing = kernel(lost_change("mem_device", before, after), 4);
    for (std::uint64_t seed = 0; seed < kSchedules; ++seed) {
      const auto ran = summing.run(seed);
      EXPECT_TRUE(ran.report.clean() && summed(ran)) << "schedule " << seed << "\n" << ran.text();
      EXPECT_THAT(ran.report.old_values, IsEmpty()) << "schedule " << seed;
    }
  }
}

struct Gap {
  const char* name;
  std::string barrier, before, after;
};
void PrintTo(const Gap& gap, std::ostream* out) { *out << gap.name; }

class OldValuesShow : public testing::TestWithParam<Gap> {};

// Guards against partial sums that are atomics and published with too little: no race, and on most runs of
// most machines right.
TEST_P(OldValuesShow, WhatIsNotOrdered) {
  const auto& [name, barrier, before, after] = GetParam();
  auto summing = kernel(lost_change(barrier, before, after), 4);
  unsigned wrong = 0;
  for (std::uint64_t seed = 0; seed < kSchedules; ++seed) {
    const auto ran = summing.run(seed);
    EXPECT_TRUE(ran.report.clean()) << ran.text();
    if (summed(ran)) continue;
    ++wrong;
    ASSERT_THAT(ran.report.old_values, Not(IsEmpty()));
    const auto& old = ran.report.old_values[0];
    EXPECT_EQ(old.object, "out");
    EXPECT_EQ(old.change.place.line, 1u);
    EXPECT_GT(old.load.place.line, old.change.place.line);
  }
  EXPECT_GT(wrong, kSchedules / 2);
}

INSTANTIATE_TEST_SUITE_P(Atomics, OldValuesShow,
                         testing::Values(Gap{"NoFence", "mem_device", "", ""},
                                         Gap{"NoRelease", "mem_device", "", "FENCE(acquire);"},
                                         Gap{"NoAcquire", "mem_device", "FENCE(release);", ""},
                                         Gap{"BarrierWithoutDeviceMemory", "mem_threadgroup",
                                             "FENCE(seq_cst);", "FENCE(seq_cst);"}),
                         [](const auto& info) { return info.param.name; });

// The last threadgroup to count itself in sees what others fenced before its own fence, though none follows
// the count. That one of them comes in between takes a turn at the right place: long turns find it, where
// without them one of these schedules does.
TEST(OldValues, AreSeenByAThreadgroupThatWaitedBetweenItsFenceAndItsCount) {
  auto summing = kernel(lost_change("mem_device", "FENCE(seq_cst);", ""), 4);
  unsigned wrong = 0;
  for (std::uint64_t seed = 0; seed < kSchedules; ++seed) wrong += summed(summing.run(seed)) ? 0 : 1;
  EXPECT_GE(wrong, 3u);
  EXPECT_LT(wrong, kSchedules / 2);
}

// A count that threads make together in threadgroup memory, as histograms do: thread 0 stores 0, all add 1,
// and all load it.
std::string counted(const std::string& before, const std::string& behind) {
  return "threadgroup atomic_uint own;\nif (i == 0) STORE(&own, 0);\n" + before +
         "\natomic_fetch_add_explicit(&own, 1, memory_order_relaxed);\n" + behind +
         "\nout[group * 64 + i] = LOAD(&own);";
}

constexpr const char* kOverMemory = "threadgroup_barrier(mem_flags::mem_threadgroup);";
constexpr const char* kOverNone = "threadgroup_barrier(mem_flags::mem_none);";

TEST(OldValuesOfThreadgroupMemory, AreNotSeenBehindABarrierThatNamesIt) {
  auto counting = kernel(counted(kOverMemory, kOverMemory), 2);
  for (std::uint64_t seed = 0; seed < kSchedules; ++seed) {
    const auto ran = counting.run(seed);
    EXPECT_TRUE(ran.report.clean() && ran.report.old_values.empty()) << ran.text();
    EXPECT_EQ(std::count(ran.out.begin(), ran.out.begin() + 128, 64u), 128) << "schedule " << seed;
  }
}

// Guards against a barrier that orders threads and no memory: stores may come late, and loads give what was
// there.
TEST(OldValuesOfThreadgroupMemory, ShowBehindABarrierThatDoesNotNameIt) {
  for (const auto& [before, behind] :
       {std::pair{kOverNone, kOverMemory}, std::pair{kOverMemory, kOverNone},
        std::pair{"threadgroup_barrier(mem_flags::mem_device);", kOverMemory}}) {
    auto counting = kernel(counted(before, behind), 2);
    unsigned wrong = 0;
    for (std::uint64_t seed = 0; seed < kSchedules; ++seed) {
      const auto ran = counting.run(seed);
      EXPECT_TRUE(ran.report.clean()) << ran.text();
      if (std::count(ran.out.begin(), ran.out.begin() + 128, 64u) == 128) continue;
      ++wrong;
      ASSERT_THAT(ran.report.old_values, Not(IsEmpty()));
      EXPECT_EQ(ran.report.old_values[0].object, "own");
    }
    EXPECT_GT(wrong, kSchedules / 2) << before << behind;
  }
}

// What a thread did itself, what it has seen, and what a fence of its own shows does not go back; nor what a
// barrier of its simdgroup orders.
TEST(OldValuesOfThreadgroupMemory, NeverGoBack) {
  const std::string fence =
      "atomic_thread_fence(mem_flags::mem_threadgroup, memory_order_seq_cst, thread_scope_threadgroup);";
  auto own = kernel(
      "threadgroup atomic_uint all[64]; STORE(&all[i], i);\n"
      "atomic_fetch_add_explicit(&all[i], 1, memory_order_relaxed); out[i] = LOAD(&all[i]) - i;",
      1);
  auto monotone = kernel("threadgroup atomic_uint n; if (i == 0) STORE(&n, 0);\n" + std::string(kOverMemory) +
                             "uint last = 0; bool back = false; for (uint k = 0; k < 8; ++k) {\n"
                             "  atomic_fetch_add_explicit(&n, 1, memory_order_relaxed); const uint v = "
                             "LOAD(&n); back = back || v <= last;\n"
                             "  last = v; }\nout[i] = back ? 0 : 1;",
                         1);
  auto fenced = kernel(counted(kOverNone + fence, kOverNone + fence) + " out[i] /= 64;", 1);
  auto grouped = kernel(
      "threadgroup atomic_uint n[2]; const uint g = i / 32; if (i % 32 == 0) STORE(&n[g], 0);\n"
      "simdgroup_barrier(mem_flags::mem_threadgroup); atomic_fetch_add_explicit(&n[g], 1, "
      "memory_order_relaxed);\n"
      "simdgroup_barrier(mem_flags::mem_threadgroup); out[i] = LOAD(&n[g]) / 32;",
      1);
  for (auto* one : {&own, &monotone, &fenced, &grouped}) {
    for (std::uint64_t seed = 0; seed < kSchedules; ++seed) {
      const auto ran = one->run(seed);
      EXPECT_TRUE(ran.report.clean()) << ran.text();
      EXPECT_EQ(std::count(ran.out.begin(), ran.out.begin() + 64, 1u), 64) << "schedule " << seed;
    }
  }
}

// Of loads of one object by one thread none goes back (C++ [intro.races], read-read coherence); nor by
// another thread to which the first has passed on what it saw.
TEST(OldValues, NeverGoBack) {
  const std::string body =
      "if (i != 0) return;\n"
      "if (group == 0) for (uint v = 100; v < 120; ++v) STORE(X(0), v);\n"
      "if (group == 1) {\n"
      "  uint last = 0;\n"
      "  for (uint n = 0; n < 20; ++n) { const uint v = LOAD(X(0)); out[n] = v < last; last = v; }\n"
      "  FENCE(release); STORE(X(1), last + 200);\n"
      "}\n"
      "if (group == 2) {\n"
      "  uint passed = 0;\n"
      "  while ((passed = LOAD(X(1))) < 200) {}\n"
      "  FENCE(acquire);\n"
      "  out[20] = LOAD(X(0)) + 200 < passed;\n"
      "}";
  auto going_on = kernel(body, 3);
  bool old = false;
  for (std::uint64_t seed = 0; seed < kSchedules; ++seed) {
    const auto ran = going_on.run(seed);
    EXPECT_TRUE(ran.report.clean()) << ran.text();
    for (unsigned n = 0; n <= 20; ++n) EXPECT_EQ(ran.out[n], 0u) << n << ", schedule " << seed;
    old = old || !ran.report.old_values.empty();
  }
  EXPECT_TRUE(old) << "no schedule shows old values";
}

// A thread that reads an older value picks up what was published with that one, and no more.
TEST(OldValues, ComeWithWhatTheyPublished) {
  const auto reader = [](const std::string& second) {
    return kernel(
        "if (i != 0) return;\n"
        "if (group == 0) {\n"
        "  out[1] = 1; FENCE(release); STORE(X(0), 1);\n"
        "  out[2] = 2; FENCE(release); STORE(X(0), 2);\n"
        "} else {\n"
        "  uint seen = 0;\n"
        "  while ((seen = LOAD(X(0))) == 0) {}\n"
        "  FENCE(acquire);\n"
        "  out[0] = out[1];\n"
        "  if (seen >= " +
            second + ") out[0] += out[2];\n}",
        2);
  };
  auto careful = reader("2"), careless = reader("1");
  for (std::uint64_t seed = 0; seed < kSchedules; ++seed) {
    EXPECT_TRUE(careful.run(seed).report.clean()) << "schedule " << seed;
  }
  unsigned races = 0;
  // One threadgroup after the other, ascending: only an old value shows what the second may not rely on.
  for (std::uint64_t seed = 8; seed < 8 + 32 * kSchedules; seed += 32) {
    races += careless.run(seed).report.clean() ? 0 : 1;
  }
  EXPECT_GT(races, 0u);
}

// Dekker's: both threads see 0 unless the fences come in one order.
TEST(OldValues, AreNotSeenAcrossSequentialFences) {
  const auto both_zero = [](const std::string& order) {
    auto two = kernel("if (i != 0) return;\nSTORE(X(group + 200), 1);\nFENCE(" + order +
                          ");\nout[group] = LOAD(X(201 - group));",
                      2);
    unsigned found = 0;
    for (std::uint64_t seed = 0; seed < kSchedules; ++seed) {
      const auto ran = two.run(seed);
      EXPECT_TRUE(ran.report.clean()) << ran.text();
      found += ran.out[0] != 1 && ran.out[1] != 1;
    }
    return found;
  };
  EXPECT_EQ(both_zero("seq_cst"), 0u);
  EXPECT_GT(both_zero("acq_rel"), 0u);
}

TEST(OldValues, AreNoneInThePlainSchedule) {
  EXPECT_TRUE(summed(kernel(lost_change("mem_device", "", ""), 4).run(0)));
}

}  // namespace
}  // namespace assay::simulator
