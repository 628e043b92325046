// How lanes run: positions, collectives under divergence, several OS threads.
#include <gmock/gmock.h>

#include <numeric>

#include "tests/simulator/kernel_fixture.hpp"

namespace assay::simulator {
namespace {

using testing::Each;

class BothModes : public testing::TestWithParam<Mode> {};
INSTANTIATE_TEST_SUITE_P(Modes, BothModes, testing::Values(Mode::fast, Mode::checked),
                         [](const auto& info) { return info.param == Mode::fast ? "Fast" : "Checked"; });

TEST_P(BothModes, BarrierLetsEveryLaneSeeEveryWrite) {
  const auto ran = run_body(GetParam(),
                            "threadgroup uint t[64]; t[i] = i * i; "
                            "threadgroup_barrier(mem_flags::mem_threadgroup); out[i] = t[63 - i];");
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(ran.out[i], (63 - i) * (63 - i));
}

TEST_P(BothModes, CollectivesCountTheLanesThatTakePart) {
  const auto ran = run_body(
      GetParam(), "if (lane < 5) {\n out[i] = simd_sum(1u);\n } else {\n out[i] = simd_sum(1u) + 100;\n }");
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(ran.out[i], i % 32 < 5 ? 5u : 127u) << i;
}

TEST_P(BothModes, CollectivesGoOnWhenLanesHaveEnded) {
  const auto ran = run_body(GetParam(), "out[i] = 9; if (lane >= 12) return; out[i] = simd_sum(lane);");
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(ran.out[i], i % 32 < 12 ? 66u : 9u) << i;
}

TEST_P(BothModes, LoopsOfDifferentLengthMeetAgain) {
  const auto ran =
      run_body(GetParam(), "uint n = 0; for (uint r = 0; r <= lane; ++r) n += simd_sum(1u); out[i] = n;");
  // In round r the lanes r..31 take part.
  for (std::uint32_t i = 0; i < 64; ++i) {
    std::uint32_t expected = 0;
    for (std::uint32_t r = 0; r <= i % 32; ++r) expected += 32 - r;
    EXPECT_EQ(ran.out[i], expected) << i;
  }
}

TEST_P(BothModes, PartialSimdgroupsAndThreadgroupsHaveTheirOwnWidth) {
  const auto ran = run_body(GetParam(), "out[i] = simd_sum(1u);", {.threads = {40, 1, 1}, .words = 40});
  for (std::uint32_t i = 0; i < 40; ++i) EXPECT_EQ(ran.out[i], i < 32 ? 32u : 8u);
}

TEST_P(BothModes, ThreadsOfAThreadgroupPollOneAnother) {
  const auto ran =
      run_body(GetParam(),
               "threadgroup atomic_uint flag; if (i == 0) atomic_store_explicit(&flag, 0, "
               "memory_order_relaxed); threadgroup_barrier(mem_flags::mem_threadgroup); "
               "if (i == 63) atomic_store_explicit(&flag, 1, memory_order_relaxed); "
               "if (i == 0) while (atomic_load_explicit(&flag, memory_order_relaxed) == 0) {} out[i] = 3;");
  EXPECT_THAT(ran.out, Each(3u));
}

TEST(OsThreads, DoNotChangeResults) {
  const std::string body =
      "threadgroup uint t[64]; t[i] = i * group; threadgroup_barrier(mem_flags::mem_threadgroup); "
      "out[group * 64 + i] = t[(i * 7) % 64] + simd_sum(i);";
  const auto one = run_body(Mode::fast, body, {.threadgroups = {100, 1, 1}, .words = 6400, .os_threads = 1});
  for (const unsigned threads : {2u, 3u, 8u}) {
    const auto many =
        run_body(Mode::fast, body, {.threadgroups = {100, 1, 1}, .words = 6400, .os_threads = threads});
    EXPECT_EQ(one.out, many.out) << threads << " threads";
  }
}

TEST(Threadgroups, StartWithGarbageInTheirMemory) {
  // What a threadgroup before it left must not be there: on a GPU it would be anything.
  const auto ran = run_body(Mode::fast, "threadgroup uint t[64]; out[group * 64 + i] = t[i]; t[i] = 77;",
                            {.threadgroups = {2, 1, 1}, .words = 128});
  EXPECT_THAT(ran.out, Each(0xFF96FF96u));
}

}  // namespace
}  // namespace assay::simulator
