// Who is waited for is not blamed for a machine that slept.
#include "harness/process/idle_timer.hpp"

#include <gtest/gtest.h>

namespace assay::process {
namespace {

TEST(SilenceOfAChild, AddsUpWhileSomebodyAsksAndEndsWithAWord) {
  auto now = IdleTimer::Clock::now();
  IdleTimer silence;
  silence.heard(now);
  for (int i = 0; i < 50; ++i) silence.seconds(now += std::chrono::milliseconds(100));
  EXPECT_NEAR(silence.seconds(now), 5, 1e-6);
  silence.heard(now);
  EXPECT_EQ(silence.seconds(now), 0);
}

// A sweep of 40 minutes was given up because it had been stopped, program and all, for two.
TEST(SilenceOfAChild, LeavesOutTheTimeInWhichTheProgramWasStopped) {
  auto now = IdleTimer::Clock::now();
  IdleTimer silence;
  silence.heard(now);
  silence.seconds(now += std::chrono::seconds(120));
  EXPECT_LE(silence.seconds(now += std::chrono::milliseconds(100)), 2);
}

}  // namespace
}  // namespace assay::process
