// Threadgroups that meet: what orders their accesses, whose turn it is, and when nothing can go on.
#include <gmock/gmock.h>

#include <numeric>

#include "tests/simulator/kernel_fixture.hpp"

namespace assay::simulator {
namespace {

using device::FaultKind;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

// Every threadgroup writes its 64 numbers to its part of out[64..], counts itself in at in[0] (which holds
// 0), and the last one adds all parts up into out[0..63].
std::string reduction(const std::string& before, const std::string& after, const std::string& last = "3") {
  return "threadgroup uint arrived; out[64 + group * 64 + i] = i + group;\n"
         "threadgroup_barrier(mem_flags::mem_device);\n"
         "if (i == 0) {\n" +
         before +
         "\n"
         "arrived = atomic_fetch_add_explicit((device atomic_uint*)in, 1, memory_order_relaxed);\n" +
         after +
         "\n"
         "}\n"
         "threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);\n"
         "if (arrived == " +
         last +
         ") {\n uint sum = 0;\n for (uint g = 0; g < 4; ++g) sum += out[64 + g * 64 + i];\n"
         " out[i] = sum;\n}";
}

const std::string kFence =
    "atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);";
const Shape kFour = {.threadgroups = {4, 1, 1}, .words = 320};

Shape scheduled(std::uint64_t seed) {
  Shape shape = kFour;
  shape.schedule = seed;
  return shape;
}

std::vector<std::uint32_t> first64(const Ran& ran) { return {ran.out.begin(), ran.out.begin() + 64}; }

TEST(DeviceFences, OrderAReductionUnderEverySchedule) {
  std::vector<std::uint32_t> sums(64);
  for (std::uint32_t i = 0; i < 64; ++i) sums[i] = 4 * i + 6;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    for (const Mode mode : {Mode::fast, Mode::checked}) {
      const auto ran = run_body(mode, reduction(kFence, kFence), scheduled(seed));
      EXPECT_TRUE(ran.report.clean()) << "schedule " << seed << "\n" << ran.text();
      EXPECT_EQ(first64(ran), sums) << "schedule " << seed;
    }
  }
}

struct Unordered {
  const char* name;
  std::string before, after;
};
void PrintTo(const Unordered& unordered, std::ostream* out) { *out << unordered.name; }

class NotOrdered : public testing::TestWithParam<Unordered> {};

TEST_P(NotOrdered, IsARaceUnderEverySchedule) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const auto ran = run_body(Mode::checked, reduction(GetParam().before, GetParam().after), scheduled(seed));
    EXPECT_THAT(ran.kinds(), Contains(FaultKind::race)) << "schedule " << seed;
  }
}

std::string fence(const char* flags, const char* order, const char* scope) {
  return std::string("atomic_thread_fence(mem_flags::") + flags + ", memory_order_" + order +
         ", thread_scope_" + scope + ");";
}

INSTANTIATE_TEST_SUITE_P(
    DeviceFences, NotOrdered,
    testing::Values(Unordered{"NoFence", "", ""}, Unordered{"NoRelease", "", kFence},
                    Unordered{"NoAcquire", kFence, ""},
                    Unordered{"ThreadgroupScope", fence("mem_device", "seq_cst", "threadgroup"),
                              fence("mem_device", "seq_cst", "threadgroup")},
                    Unordered{"OtherMemory", fence("mem_threadgroup", "seq_cst", "device"),
                              fence("mem_threadgroup", "seq_cst", "device")},
                    Unordered{"RelaxedFence", fence("mem_device", "relaxed", "device"),
                              fence("mem_device", "relaxed", "device")}),
    [](const auto& info) { return info.param.name; });

TEST(DeviceFences, WithoutTheBarrierBeforeThemOnlyTheFencingThreadIsOrdered) {
  std::string body = reduction(kFence, kFence);
  body.replace(body.find("mem_flags::mem_device"), 21, "mem_flags::mem_none  ");
  EXPECT_THAT(run_body(Mode::checked, body, kFour).kinds(), Contains(FaultKind::race));
}

TEST(DeviceFences, OrderAWriteAfterTheReadsOfOtherThreadgroups) {
  // All read in[1..64]; the last to count in overwrites it.
  std::string body = reduction(kFence, kFence);
  body.insert(0, "uint mine = in[1 + i];\n");
  body += "\nif (arrived == 3) in[1 + i] = mine;";
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const auto ran = run_body(Mode::checked, body, scheduled(seed));
    EXPECT_TRUE(ran.report.clean()) << ran.text();
  }
}

TEST(Turns, AThreadgroupThatPollsIsLetGoOn) {
  // Each waits for the one after it; the last does not wait. The first is started first.
  const std::string body =
      "if (i == 0 && group < 3) {\n"
      "while (atomic_load_explicit((device atomic_uint*)in + group + 1, memory_order_relaxed) != 900) {}\n}\n"
      "if (i == 0) atomic_store_explicit((device atomic_uint*)in + group, 900, memory_order_relaxed);\n"
      "out[group * 64 + i] = 5;";
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    for (const Mode mode : {Mode::fast, Mode::checked}) {
      const auto ran = run_body(mode, body, scheduled(seed));
      EXPECT_TRUE(ran.report.clean()) << ran.text();
      EXPECT_THAT(std::vector<std::uint32_t>(ran.out.begin(), ran.out.begin() + 256), Each(5u));
    }
  }
}

TEST(Turns, WaitingForWhatNobodyDoesIsADeadlock) {
  const std::string body =
      "out[i] = 1;\nwhile (atomic_load_explicit((device atomic_uint*)in, memory_order_relaxed) != 9) {}";
  for (const Mode mode : {Mode::fast, Mode::checked}) {
    const auto ran = run_body(mode, body, {});
    ASSERT_THAT(ran.kinds(), ElementsAre(FaultKind::deadlock)) << ran.text();
    EXPECT_EQ(ran.report.faults[0].place.line, 2u);
  }
}

TEST(Turns, TwoThreadgroupsThatWaitForOneAnotherAreADeadlock) {
  const std::string body =
      "if (i == 0) while (atomic_load_explicit((device atomic_uint*)in + 1 - group, memory_order_relaxed) < "
      "900) {}\n"
      "if (i == 0) atomic_store_explicit((device atomic_uint*)in + group, 900, "
      "memory_order_relaxed);\nout[i] = 0;";
  const auto ran = run_body(Mode::fast, body, {.threadgroups = {2, 1, 1}});
  EXPECT_THAT(ran.kinds(), Contains(FaultKind::deadlock)) << ran.text();
}

// Lanes of one simdgroup have one program counter: the holder of the lock need not go on before the others
// have left the loop.
TEST(Turns, ALockThatLanesOfASimdgroupTakeInTurnIsADeadlock) {
  const std::string body =
      "device atomic_uint* lock = (device atomic_uint*)in + 40;\n"
      "if (i == 0) atomic_store_explicit(lock, 0, memory_order_relaxed);\n"
      "threadgroup_barrier(mem_flags::mem_device);\n"
      "while (atomic_exchange_explicit(lock, 1, memory_order_relaxed) == 1) {}\n"
      "out[i] = 1;\n"
      "atomic_store_explicit(lock, 0, memory_order_relaxed);";
  for (const Mode mode : {Mode::fast, Mode::checked}) {
    const auto ran = run_body(mode, body, {});
    ASSERT_THAT(ran.kinds(), Contains(FaultKind::deadlock)) << ran.text();
    EXPECT_EQ(ran.report.faults[0].place.line, 4u);
    EXPECT_THAT(ran.report.faults[0].message, HasSubstr("another thread of their simdgroup"));
  }
}

// Of each simdgroup one lane; and all lanes, which give the lock back before they leave the loop.
TEST(Turns, ALockMayBeTakenByOneLaneOfEachSimdgroupOrWithinTheLoop) {
  const std::string lock =
      "device atomic_uint* lock = (device atomic_uint*)in + 40;\n"
      "if (i == 0) atomic_store_explicit(lock, 0, memory_order_relaxed);\n"
      "threadgroup_barrier(mem_flags::mem_device);\n";
  const std::string of_one_lane = lock +
                                  "if (i % 32 == 0) {\n"
                                  "while (atomic_exchange_explicit(lock, 1, memory_order_relaxed) == 1) {}\n"
                                  "atomic_store_explicit(lock, 0, memory_order_relaxed);\n}\n"
                                  "out[i] = 1;";
  const std::string within_the_loop = lock +
                                      "for (bool done = false; !done;) {\n"
                                      "if (atomic_exchange_explicit(lock, 1, memory_order_relaxed) == 0) {\n"
                                      "out[i] = 1;\n"
                                      "done = true;\n"
                                      "atomic_store_explicit(lock, 0, memory_order_relaxed);\n}\n}";
  for (const Mode mode : {Mode::fast, Mode::checked}) {
    EXPECT_TRUE(run_body(mode, of_one_lane, {}).report.clean());
    EXPECT_TRUE(run_body(mode, within_the_loop, {}).report.clean());
  }
}

// Whoever comes to the loop later goes on; so do those who leave it for good.
TEST(Turns, AFlagThatALaneRaisesBeforeItWaitsIsSeenByItsSimdgroup) {
  const std::string body =
      "device atomic_uint* flag = (device atomic_uint*)in + 40;\n"
      "if (i == 5) atomic_store_explicit(flag, 12345, memory_order_relaxed);\n"
      "while (atomic_load_explicit(flag, memory_order_relaxed) != 12345) {}\n"
      "out[i] = 1;";
  for (const Mode mode : {Mode::fast, Mode::checked}) {
    const auto ran = run_body(mode, body, {});
    EXPECT_TRUE(ran.report.clean()) << ran.text();
  }
}

// Guards against kernels that rely on threadgroups that begin in order, one after the other.
TEST(Turns, ThreadgroupsBeginInOtherOrdersToo) {
  const auto tickets = [](std::uint64_t seed) {
    Shape shape = {.threadgroups = {8, 1, 1}, .words = 80};
    shape.schedule = seed;  // a multiple of 8: one threadgroup at a time
    const auto ran =
        run_body(Mode::fast,
                 "if (i == 0) out[group] = atomic_fetch_add_explicit((device atomic_uint*)in, 1, "
                 "memory_order_relaxed);\n"
                 "else if (group == 0) out[i + 8] = 0;",
                 shape);
    return std::vector<std::uint32_t>(ran.out.begin(), ran.out.begin() + 8);
  };
  EXPECT_EQ(tickets(8), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(tickets(16), (std::vector<std::uint32_t>{7, 6, 5, 4, 3, 2, 1, 0}));
  auto mixed = tickets(248);
  EXPECT_NE(mixed, tickets(8));
  EXPECT_NE(mixed, tickets(16));
  std::sort(mixed.begin(), mixed.end());
  EXPECT_EQ(mixed, tickets(8));
}

TEST(Turns, TheSameSeedGivesTheSameRun) {
  // The order in which threadgroups count in shows the schedule.
  const std::string body =
      "if (i == 0) out[group] = atomic_fetch_add_explicit((device atomic_uint*)in, 1, "
      "memory_order_relaxed);\n"
      "else if (group == 0) out[i + 8] = 0;";
  const Shape shape = {.threadgroups = {8, 1, 1}, .words = 80};
  std::set<std::vector<std::uint32_t>> orders;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Shape with = shape;
    with.schedule = seed;
    const auto once = run_body(Mode::fast, body, with), again = run_body(Mode::fast, body, with);
    EXPECT_EQ(once.out, again.out);
    orders.insert({once.out.begin(), once.out.begin() + 8});
  }
  EXPECT_GT(orders.size(), 3u) << "schedules hardly differ";
}

}  // namespace
}  // namespace assay::simulator
