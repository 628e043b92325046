// Being asked to end: where processes run it ends them and is told, elsewhere it ends this one.
#include "harness/process/interrupt.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <type_traits>

#include "harness/process/pool.hpp"

namespace assay::process {
namespace {

class Interrupts : public testing::TestWithParam<int> {};

TEST_P(Interrupts, EndThePoolAndAreTold) {
  const InterruptScope scope;
  Pool pool(2);
  for (int i = 0; i < 4; ++i) {
    Job job;
    job.work = [](const Reporter& reporter) {
      reporter.send({{"begun", true}});
      for (;;) pause();
    };
    job.hear = [](const nlohmann::json&) {
      std::raise(GetParam());
      return true;
    };
    pool.add(std::move(job));
  }
  [[maybe_unused]] const auto start = std::chrono::steady_clock::now();
  try {
    pool.run();
    FAIL() << "nobody was told";
  } catch (const Interrupted& asked) {
    EXPECT_EQ(asked.signal(), GetParam());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  std::raise(GetParam());  // behind the first: the last words are not cut short
}

TEST_P(Interrupts, EndTheProcessWhereNothingWaitsForThem) {
  EXPECT_EXIT(
      {
        const InterruptScope scope;
        std::raise(GetParam());
      },
      testing::KilledBySignal(GetParam()), "^assay: interrupted\n$");
  { const InterruptScope over; }
  EXPECT_EXIT(std::raise(GetParam()), testing::KilledBySignal(GetParam()), "");
}

TEST_P(Interrupts, EndAForkedProcessWhateverItsParentNotes) {
  EXPECT_EXIT(
      {
        const InterruptScope scope;
        const Interruptible noting;
        forget_interrupts();
        std::raise(GetParam());
      },
      testing::KilledBySignal(GetParam()), "");
}

// `assay init` caught it as a fault of one kernel, and went on with the next.
TEST(Interrupted, IsNoFaultThatCodeGoesOnAfter) {
  static_assert(!std::is_base_of_v<std::exception, Interrupted>);
  EXPECT_EQ(Interrupted(SIGHUP).signal(), SIGHUP);
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupts, testing::Values(SIGINT, SIGTERM, SIGHUP));

}  // namespace
}  // namespace assay::process
