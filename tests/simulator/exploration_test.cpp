// All schedules of a launch, up to equivalence: as many as there are, each outcome among them, none twice.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/simulator/exploration.hpp"
#include "tests/simulator/kernel_fixture.hpp"

namespace assay::simulator {
namespace {

using device::FaultKind;
using testing::Contains;
using testing::UnorderedElementsAre;

using Outcome = std::vector<std::uint32_t>;  // out[0], out[1], ...

struct Explored {
  std::uint64_t schedules = 0, launches = 0;
  std::set<Outcome> outcomes;
  std::set<FaultKind> faults;
  std::vector<device::Decision> failing;  ///< the first schedule with a fault
};

BodyKernel litmus(const std::string& body, std::uint32_t threadgroups, std::uint32_t threads = 1) {
  return {Mode::checked,
          body,
          {.threads = {threads, 1, 1}, .threadgroups = {threadgroups, 1, 1}, .words = 384},
          "",
          "#define X ((device atomic_uint*)in)\n"
          "#define LOAD(n) atomic_load_explicit(X + (n), memory_order_relaxed)\n"
          "#define STORE(n, value) atomic_store_explicit(X + (n), value, memory_order_relaxed)\n"
          "#define ADD(n, value) atomic_fetch_add_explicit(X + (n), value, memory_order_relaxed)\n"
          "#define FENCE(order) atomic_thread_fence(mem_flags::mem_device, memory_order_##order, "
          "thread_scope_device)\n"};
}

Explored explore(BodyKernel kernel, std::size_t words) {
  Explored explored;
  Exploration exploration;
  do {
    const auto ran = kernel.run(0, &exploration.schedule());
    ++explored.launches;
    EXPECT_FALSE(exploration.diverged());
    if (exploration.redundant()) continue;
    explored.outcomes.insert({ran.out.begin(), ran.out.begin() + static_cast<std::ptrdiff_t>(words)});
    for (const auto& fault : ran.report.faults) explored.faults.insert(fault.kind);
    if (!ran.report.clean() && explored.failing.empty()) explored.failing = exploration.decisions();
  } while (exploration.advance() && explored.launches < 20000);
  explored.schedules = exploration.schedules();
  return explored;
}

// Tickets: every order of n threadgroups is a schedule, and no other is.
TEST(Exploration, RunsEveryOrderOfDependentStepsOnce) {
  for (const auto& [threadgroups, orders] : {std::pair{1U, 1U}, {2U, 2U}, {3U, 6U}, {4U, 24U}}) {
    const auto explored = explore(litmus("out[group] = ADD(0, 1);", threadgroups), threadgroups);
    EXPECT_EQ(explored.schedules, orders);
    EXPECT_EQ(explored.outcomes.size(), orders);
    EXPECT_TRUE(explored.faults.empty());
  }
}

TEST(Exploration, RunsStepsThatDoNotDependOnOneAnotherInOneOrder) {
  const auto explored = explore(litmus("out[group] = ADD(group, 1) + ADD(group + 8, 1);", 4), 4);
  EXPECT_EQ(explored.launches, 1U);
}

// Two steps each on one object: 6 ways to interleave them; with two more on objects of their own still 6.
TEST(Exploration, CountsInterleavingsUpToEquivalence) {
  EXPECT_EQ(explore(litmus("out[group] = ADD(0, 1); ADD(0, 1);", 2), 2).schedules, 6U);
  EXPECT_EQ(explore(litmus("ADD(4 + group, 1); out[group] = ADD(0, 1); ADD(8 + group, 1); ADD(0, 1);", 2), 2)
                .schedules,
            6U);
}

// An increment that is a load and a store loses changes; drawn schedules must be lucky to see all of them.
TEST(Exploration, FindsEveryLostUpdate) {
  const auto explored =
      explore(litmus("STORE(0, LOAD(0) + 1);\nFENCE(seq_cst);\nout[group] = LOAD(0);", 2), 2);
  EXPECT_THAT(explored.outcomes,
              UnorderedElementsAre(Outcome{1, 1}, Outcome{1, 2}, Outcome{2, 1}, Outcome{2, 2}));
}

// Store buffering: both see 0 where fences are not sequentially consistent, and never where they are.
TEST(Exploration, TakesInEveryOldValueAndNoOther) {
  const auto body = [](const std::string& fence) {
    return "STORE(200 + group, 1);\n" + fence + "\nout[group] = LOAD(201 - group);";
  };
  const Outcome none = {201, 200}, both = {1, 1}, first = {1, 200}, second = {201, 1};
  EXPECT_THAT(explore(litmus(body("FENCE(acq_rel);"), 2), 2).outcomes,
              UnorderedElementsAre(none, both, first, second));
  EXPECT_THAT(explore(litmus(body("FENCE(seq_cst);"), 2), 2).outcomes,
              UnorderedElementsAre(both, first, second));
}

// Message passing: what was published may be missed if one of the fences is.
TEST(Exploration, FindsAMissingFenceInSomeSchedule) {
  const auto body = [](const std::string& release, const std::string& acquire) {
    return "if (group == 0) { out[8] = 5;\n" + release +
           "\nSTORE(0, 7); }\n"
           "else if (LOAD(0) == 7) {\n" +
           acquire + "\nout[1] = out[8]; }";
  };
  EXPECT_TRUE(explore(litmus(body("FENCE(release);", "FENCE(acquire);"), 2), 2).faults.empty());
  EXPECT_THAT(explore(litmus(body("", "FENCE(acquire);"), 2), 2).faults, Contains(FaultKind::race));
  EXPECT_THAT(explore(litmus(body("FENCE(release);", ""), 2), 2).faults, Contains(FaultKind::race));
}

// Loops that wait must not make an endless tree: a threadgroup looks again when it would see something else.
TEST(Exploration, EndsWhereThreadgroupsPoll) {
  const auto explored = explore(
      litmus("if (group == 0) { ADD(4, 1); ADD(5, 1); STORE(0, 9); } else { while (LOAD(0) != 9) {} }\n"
             "out[group] = ADD(1, 1);",
             2),
      2);
  EXPECT_LT(explored.launches, 40U);
  EXPECT_THAT(explored.outcomes, UnorderedElementsAre(Outcome{1, 2}, Outcome{2, 1}));
}

TEST(Exploration, FindsTheOneOrderThatDeadlocks) {
  // Two locks taken in different orders.
  const auto explored =
      explore(litmus("const uint first = group * 8, second = 8 - first;\n"
                     "while (atomic_exchange_explicit(X + first, 77, memory_order_relaxed) == 77) {}\n"
                     "while (atomic_exchange_explicit(X + second, 77, memory_order_relaxed) == 77) {}\n"
                     "STORE(second, 0); STORE(first, 0); out[group] = 1;",
                     2),
              2);
  EXPECT_THAT(explored.faults, Contains(FaultKind::deadlock));
}

// The decisions of a failing launch, as text, give the same failure again.
TEST(Exploration, SaysTheScheduleSoThatItCanBeReplayed) {
  auto kernel = litmus("if (ADD(0, 1) == 2 && group == 1) out[400] = 1;", 3);
  const auto explored = explore(litmus("if (ADD(0, 1) == 2 && group == 1) out[400] = 1;", 3), 0);
  ASSERT_THAT(explored.faults, Contains(FaultKind::out_of_bounds));
  auto said = device::schedule_of(device::to_text(explored.failing));
  EXPECT_THAT(kernel.run(0, &said).kinds(), Contains(FaultKind::out_of_bounds));
  auto another = device::schedule_of("1.0.2");
  EXPECT_TRUE(kernel.run(0, &another).report.clean());
}

struct Waits {
  const char* name;
  std::string body;
  std::uint32_t threadgroups;
  std::string ascending, descending;  ///< how many are needed at once: the message's beginning; "" none
};
void PrintTo(const Waits& waits, std::ostream* out) { *out << waits.name; }

class Residency : public testing::TestWithParam<Waits> {};

TEST_P(Residency, IsNeededWhereThreadgroupsWaitForOthers) {
  auto kernel = litmus(GetParam().body, GetParam().threadgroups, 32);
  for (const auto& [order, needed] :
       {std::pair{"one_by_one", GetParam().ascending}, std::pair{"backwards", GetParam().descending}}) {
    auto planned = device::schedule_of(order);
    const auto ran = kernel.run(0, &planned);
    if (needed.empty()) {
      EXPECT_TRUE(ran.report.clean()) << order << "\n" << ran.text();
      continue;
    }
    ASSERT_THAT(ran.kinds(), testing::ElementsAre(FaultKind::needs_residency)) << order << "\n" << ran.text();
    EXPECT_THAT(ran.report.faults[0].message, testing::StartsWith(needed));
    EXPECT_EQ(ran.report.faults[0].place.line, 2U);
    // A launch that allows so many is clean.
    EXPECT_TRUE(kernel.run(0, &planned, GetParam().threadgroups).report.clean());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Residency,
    testing::Values(
        Waits{"LastToArrive", "if (i == 0) {\nif (ADD(0, 1) == 3) out[0] = 1;\n}", 4, "", ""},
        Waits{"Successor",
              "if (i == 0 && group < 3)\n while (LOAD(group + 1) != 900) {}\n"
              "if (i == 0) STORE(group, 900);",
              4, "needs 4 threadgroups at once", ""},
        Waits{"GridBarrier", "if (i == 0) { ADD(0, 1);\nwhile (LOAD(0) != 3) {}\n}", 3,
              "needs 3 threadgroups at once", "needs 3 threadgroups at once"},
        // All threads wait, at a barrier, for what one of them sees.
        Waits{"GridBarrierOfAll",
              "threadgroup uint seen; uint last; if (i == 0) ADD(0, 1); do { if (i == 0)\nseen = LOAD(0);\n"
              "threadgroup_barrier(mem_flags::mem_threadgroup);\nlast = seen; "
              "threadgroup_barrier(mem_flags::mem_threadgroup); } while (last != 2);",
              2, "needs 2 threadgroups at once", "needs 2 threadgroups at once"},
        Waits{"GivesUp",
              "if (i == 0)\nfor (uint k = 0; k < 500 && LOAD(1 + group) < 900; ++k) {}\nSTORE(2, 900);", 2,
              "", ""}),
    [](const auto& info) { return info.param.name; });

// A lock never makes threadgroups wait that run one at a time; some schedule does.
TEST(Residency, OfALockShowsUnderSomeSchedule) {
  const std::string lock =
      "while (\natomic_exchange_explicit(X, 77, memory_order_relaxed) == 77) {}\nADD(1, 1); STORE(0, 0); "
      "out[group] = 1;";
  auto one_by_one = device::schedule_of("one_by_one");
  EXPECT_TRUE(litmus(lock, 2).run(0, &one_by_one).report.clean());
  EXPECT_THAT(explore(litmus(lock, 2), 0).faults, Contains(FaultKind::needs_residency));
}

/// The tickets that each threadgroup draws, two each, under a schedule.
std::vector<Outcome> tickets(const std::string& schedule, std::uint32_t threadgroups) {
  auto planned = device::schedule_of(schedule);
  const auto ran =
      litmus("out[2 * group] = ADD(0, 1); out[2 * group + 1] = ADD(0, 1);", threadgroups).run(0, &planned);
  std::vector<Outcome> drawn;
  for (std::uint32_t group = 0; group < threadgroups; ++group)
    drawn.push_back({ran.out[2 * group], ran.out[2 * group + 1]});
  return drawn;
}

TEST(PlainOrders, TakeTurnsButForTheOneThatIsNamed) {
  EXPECT_THAT(tickets("lock_step", 4),
              testing::ElementsAre(Outcome{0, 4}, Outcome{1, 5}, Outcome{2, 6}, Outcome{3, 7}));
  EXPECT_THAT(tickets("ahead:2", 4),
              testing::ElementsAre(Outcome{2, 5}, Outcome{3, 6}, Outcome{0, 1}, Outcome{4, 7}));
  EXPECT_THAT(tickets("behind:0", 4),
              testing::ElementsAre(Outcome{6, 7}, Outcome{0, 3}, Outcome{1, 4}, Outcome{2, 5}));
  EXPECT_THAT(tickets("ahead:9", 2), tickets("lock_step", 2));
  EXPECT_THAT(tickets("behind:0:1", 4),
              testing::ElementsAre(Outcome{0, 7}, Outcome{1, 4}, Outcome{2, 5}, Outcome{3, 6}));
  EXPECT_THAT(tickets("ahead:3:1", 4),
              testing::ElementsAre(Outcome{0, 5}, Outcome{1, 6}, Outcome{2, 7}, Outcome{3, 4}));
}

// Who waits for another that has begun needs no more than these two in flight, however many wait.
TEST(PlainOrders, SayNothingOfHowManyMustBeInFlight) {
  const std::string chain =
      "if (i == 0) { const uint ticket = ADD(0, 1);\nwhile (LOAD(1) != 1 + ticket) {}\nADD(1, 1); }";
  for (const char* order : {"lock_step", "ahead:5", "behind:0", "behind:0:1"}) {
    auto planned = device::schedule_of(order);
    EXPECT_TRUE(litmus(chain, 6).run(0, &planned).report.clean()) << order;
  }
}

// More than there is room for begin as others end.
TEST(PlainOrders, StepTogetherAsFarAsThereIsRoom) {
  const auto drawn = tickets("lock_step", 70);
  EXPECT_EQ(drawn[63], (Outcome{63, 127}));
  EXPECT_GE(drawn[69][0], 64U);
}

TEST(PlainOrders, PutEachTwoSideBySideInSomeZigzag) {
  constexpr std::uint32_t kCount = 8;
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (std::uint32_t zigzag = 0; zigzag < kCount / 2; ++zigzag) {
    const auto drawn = tickets("zigzag:" + std::to_string(zigzag), kCount);
    std::array<std::size_t, kCount> order{};
    for (std::size_t group = 0; group < kCount; ++group) order.at(drawn[group][0] / 2) = group;
    for (std::size_t i = 1; i < kCount; ++i) pairs.insert(std::minmax(order.at(i - 1), order.at(i)));
  }
  EXPECT_EQ(pairs.size(), kCount * (kCount - 1) / 2);
}

// One simdgroup of each threadgroup does all it has to do first, or last.
TEST(PlainOrders, LetOneSimdgroupGoFirstOrLast) {
  for (const auto& [order, first] : {std::pair{"ahead:0", 0U}, {"behind:0", 32U}}) {
    auto planned = device::schedule_of(order);
    const auto ran = litmus("out[i] = ADD(0, 1);", 1, 64).run(0, &planned);
    EXPECT_EQ(*std::min_element(ran.out.begin(), ran.out.begin() + 32), first) << order;
  }
}

TEST(Decisions, AreReadAsTheyAreWritten) {
  const std::vector<device::Decision> some = {{0, 0}, {0, 0}, {1, 2}, {0, 0}, {12, 0}, {12, 0}, {12, 0}};
  EXPECT_EQ(device::to_text(some), "0x2.1:2.0.12x3");
  for (const char* good : {"0x2.1:2.0.12x3", "one_by_one", "backwards", "lock_step", "ahead:3", "behind:0",
                           "behind:0:2", "zigzag:7"})
    EXPECT_NO_THROW(device::schedule_of(good)) << good;
  for (const char* bad :
       {"", "x", "0.", ".0", "0x", "0x0", "0:", "1,2", "0x9999999", "one by one", "-1", "ahead",
        "ahead:", "behind:x", "zigzag:1.2", "ahead:1:2:3", "zigzag:1:2", "lock_step:1"}) {
    EXPECT_THROW(device::schedule_of(bad), std::invalid_argument) << bad;
  }
}

}  // namespace
}  // namespace assay::simulator
