// Simdgroups that run ahead of the others of their threadgroup: what then comes out wrong, and what may not.
#include <gmock/gmock.h>

#include "harness/simulator/drawn_decisions.hpp"
#include "tests/simulator/kernel_fixture.hpp"

namespace assay::simulator {
namespace {

using testing::Each;

constexpr std::uint64_t kSchedules = 96;

class TurnsOfSimdgroups : public testing::TestWithParam<Mode> {};
INSTANTIATE_TEST_SUITE_P(Modes, TurnsOfSimdgroups, testing::Values(Mode::fast, Mode::checked),
                         [](const auto& info) { return info.param == Mode::fast ? "Fast" : "Checked"; });

constexpr const char* kBarrier = "threadgroup_barrier(mem_flags::mem_threadgroup);";

BodyKernel kernel(Mode mode, const std::string& body, std::uint32_t threads = 128) {
  return {mode,
          body,
          {.threads = {threads, 1, 1}, .words = threads},
          "",
          "#define ADD(at, n) atomic_fetch_add_explicit(at, n, memory_order_relaxed)\n"
          "#define LOAD(at) atomic_load_explicit(at, memory_order_relaxed)\n"
          "#define STORE(at, n) atomic_store_explicit(at, n, memory_order_relaxed)\n"
          "#define TAKE(at) atomic_exchange_explicit(at, 0u, memory_order_relaxed)\n"};
}

/// Threads count together; behind `between` the thread `reader` takes the count away.
std::string counted(const std::string& between, const std::string& reader) {
  return std::string("threadgroup atomic_uint count;\nif (i == 0) STORE(&count, 0);\n") + kBarrier +
         "\nADD(&count, 1);\n" + between + "\nif (i == " + reader + ") out[0] = TAKE(&count);\n";
}

// Guards against a missing barrier between threadgroup atomics: it is no race, and an exchange never gives an
// older value, so nothing but the order of simdgroups tells.
TEST_P(TurnsOfSimdgroups, ShowAMissingBarrierBetweenAtomics) {
  for (const char* reader : {"0", "50", "127"}) {
    auto counting = kernel(GetParam(), counted("", reader));
    unsigned wrong = 0;
    for (std::uint64_t seed = 0; seed < kSchedules; ++seed) {
      const auto ran = counting.run(seed);
      EXPECT_TRUE(ran.report.clean()) << ran.text();
      wrong += ran.out[0] == 128 ? 0 : 1;
    }
    EXPECT_GT(wrong, kSchedules / 16) << "reader " << reader;
  }
}

TEST_P(TurnsOfSimdgroups, ChangeNothingBehindABarrier) {
  for (const char* reader : {"0", "127"}) {
    auto counting = kernel(GetParam(), counted(kBarrier, reader));
    for (std::uint64_t seed = 0; seed < kSchedules; ++seed) {
      const auto ran = counting.run(seed);
      EXPECT_TRUE(ran.report.clean()) << ran.text();
      EXPECT_EQ(ran.out[0], 128u) << "schedule " << seed;
    }
  }
}

// Guards against a simdgroup that looks for ever at what another one has yet to do.
TEST_P(TurnsOfSimdgroups, EndWhereASimdgroupWaitsForAnother) {
  const std::string hand_on =
      std::string("threadgroup atomic_uint next, seen; if (i == 0) { STORE(&next, 0); STORE(&seen, 0); }\n") +
      kBarrier +
      // The last simdgroup goes first. Two places look in turn, so that neither sees the same again at once.
      "\nif (lane == 0) {\n while (LOAD(&next) != 3 - simdgroup) {\n  LOAD(&seen);\n }\n"
      " ADD(&seen, 1); ADD(&next, 1);\n}\n" +
      kBarrier + "\nout[i] = LOAD(&next);";
  auto handing = kernel(GetParam(), hand_on);
  for (std::uint64_t seed = 0; seed < kSchedules; ++seed) {
    const auto ran = handing.run(seed);
    EXPECT_TRUE(ran.report.clean()) << "schedule " << seed << "\n" << ran.text();
    EXPECT_THAT(ran.out, Each(4u)) << "schedule " << seed;
  }
}

TEST(DrawnTurns, AreThoseOfEverySchedulesOwnSeed) {
  unsigned ahead = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    DrawnDecisions one(seed, 8), same(seed, 8);
    ahead += one.runs_ahead() ? 1 : 0;
    for (int i = 0; i < 8; ++i) {
      const auto turn = one.turn(5);
      EXPECT_LT(turn.simdgroup, 5u);
      EXPECT_EQ(turn.simdgroup, same.turn(5).simdgroup);
    }
  }
  EXPECT_FALSE(DrawnDecisions(0, 8).runs_ahead());
  EXPECT_GT(ahead, 70u);
  EXPECT_LT(ahead, 130u);
}

}  // namespace
}  // namespace assay::simulator
