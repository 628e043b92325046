// Jobs in processes: how each can end, what its end says, and that nothing of it stays.
#include "harness/process/pool.hpp"

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "harness/process/shared_memory.hpp"
#include "tests/signals_at_once.hpp"

namespace assay::process {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

// How a process that does this ends.
JobEnd end_of(std::function<void(const Reporter&)> work, double idle_limit_s = 30) {
  JobEnd seen;
  Job job;
  job.work = std::move(work);
  job.idle_limit_s = idle_limit_s;
  job.ended = [&](const JobEnd& end) { seen = end; };
  run_job(std::move(job));
  return seen;
}

TEST(Pool, AJobThatReturnsEndsCleanly) {
  EXPECT_TRUE(end_of([](const Reporter&) {}).clean());
}

TEST(Pool, WhatAJobThrowsIsItsFailure) {
  EXPECT_EQ(end_of([](const Reporter&) { throw std::runtime_error("no such kernel"); }).failure,
            "no such kernel");
}

TEST(Pool, ASignalIsTheDeathOfTheJob) {
  const auto end = end_of([](const Reporter&) { raise(SIGKILL); });
  ASSERT_TRUE(end.death);
  EXPECT_EQ(end.death->signal, SIGKILL);
  EXPECT_FALSE(end.late);
}

TEST(Pool, AJobThatSomebodyKillsIsRunOnceMore) {
  for (const unsigned kills : {1U, 2U}) {
    const SharedMemory memory(4096);
    auto& runs = *new (memory.data()) std::atomic<unsigned>(0);
    unsigned told = 0, forgotten = 0;
    JobEnd seen;
    Job job;
    job.work = [&](const Reporter& reporter) {
      reporter.send({{"run", ++runs}});
      if (runs <= kills) raise(SIGKILL);
    };
    job.hear = [&](const nlohmann::json&) { return ++told != 0; };
    job.again = [&] { ++forgotten; };
    job.ended = [&](const JobEnd& end) { seen = end; };
    run_job(std::move(job));
    EXPECT_EQ(runs, 2U);
    EXPECT_EQ(told, 2U);
    EXPECT_EQ(forgotten, 1U);
    EXPECT_EQ(seen.killed(), kills == 2) << kills;
    EXPECT_EQ(seen.clean(), kills == 1) << kills;
  }
}

TEST(Pool, AJobThatSaysNothingForTooLongIsStopped) {
  const auto end = end_of(
      [](const Reporter& reporter) {
        reporter.send({{"at", 1}});
        for (;;) pause();
      },
      0.2);
  EXPECT_TRUE(end.late);
}

// How a confined process that runs this, with a limit of processor time, ends.
JobEnd end_within(double processor_limit_s, const std::function<void(const Reporter&)>& work) {
  JobEnd seen;
  Job job;
  job.processor_limit_s = processor_limit_s;
  job.trust = Trust::confined;
  job.work = [&](const Reporter& reporter) {
    work(reporter);
    reporter.send({{"done", true}});
  };
  job.ended = [&](const JobEnd& end) { seen = end; };
  run_job(std::move(job));
  return seen;
}

void work_for(double seconds) {
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  for (volatile unsigned spins = 0; std::clock() < end;) spins = spins + 1;
}

TEST(Pool, AJobThatUsesUpItsProcessorTimeIsLate) {
  ASSAY_NEEDS_SIGNALS_AT_ONCE();
  const auto end = end_within(0.2, [](const Reporter&) { work_for(30); });
  EXPECT_TRUE(end.late);
  ASSERT_TRUE(end.death);
  EXPECT_TRUE(end.death->late());
  EXPECT_LT(end.seconds, 20);
}

// A machine that is busy keeps a process waiting: that is not its time.
TEST(Pool, AJobThatWaitsLongerThanItsProcessorTimeIsNot) {
  EXPECT_TRUE(end_within(0.2, [](const Reporter&) {
                for (int i = 0; i < 80; ++i) {
                  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
                  std::mutex lock;
                  std::condition_variable never;
                  std::unique_lock held(lock);
                  never.wait_until(held, until);
                }
              }).clean());
}

TEST(Pool, AMessageGivesAJobItsProcessorTimeAnew) {
  EXPECT_TRUE(end_within(0.5, [](const Reporter& reporter) {
                for (int i = 0; i < 6; ++i) {
                  reporter.send({{"at", i}});
                  work_for(0.2);
                }
              }).clean());
}

TEST(Pool, AMessageGivesAJobItsTimeAnew) {
  const auto end = end_of(
      [](const Reporter& reporter) {
        for (int i = 0; i < 6; ++i) {
          reporter.send({{"at", i}});
          usleep(300'000);
        }
      },
      1);
  EXPECT_TRUE(end.clean());
}

TEST(Pool, NothingIsHeardBehindTheLastMessageThatMatters) {
  std::vector<int> heard;
  Job job;
  job.work = [](const Reporter& reporter) {
    for (int i = 0; i < 20'000; ++i) reporter.send({{"at", i}});  // more than a pipe holds
  };
  job.hear = [&](const nlohmann::json& message) {
    heard.push_back(message.at("at").get<int>());
    return heard.size() < 2;
  };
  run_job(std::move(job));
  EXPECT_THAT(heard, ElementsAre(0, 1));
}

TEST(Pool, AJobMayAddJobsWhenItEnds) {
  std::vector<int> ended;
  Pool pool(2);
  const std::function<void(int)> add = [&](int number) {
    Job job;
    job.work = [](const Reporter&) {};
    job.ended = [&, number](const JobEnd&) {
      ended.push_back(number);
      if (number < 4) add(2 * number), add(2 * number + 1);
    };
    pool.add(std::move(job));
  };
  add(1);
  pool.run();
  EXPECT_THAT(ended, UnorderedElementsAre(1, 2, 3, 4, 5, 6, 7));
}

TEST(Pool, NoMoreRunAtATimeThanItMay) {
  const Slots gauge(3);  // a slot is taken by whoever runs: never more than three
  bool too_many = false;
  Pool pool(3);
  for (int i = 0; i < 12; ++i) {
    Job job;
    job.work = [&](const Reporter& reporter) {
      const auto slot = gauge.try_take();
      reporter.send({{"too many", !slot}});
      usleep(20'000);
    };
    job.hear = [&](const nlohmann::json& message) {
      too_many |= message.at("too many").get<bool>();
      return true;
    };
    pool.add(std::move(job));
  }
  pool.run();
  EXPECT_FALSE(too_many);
}

TEST(Pool, WhatACallbackThrowsEndsAllThatRuns) {
  pid_t other = 0;
  {
    Pool pool(2);
    Job endless;
    endless.work = [](const Reporter& reporter) {
      reporter.send({{"pid", getpid()}});
      for (;;) pause();
    };
    endless.hear = [&](const nlohmann::json& message) {
      other = message.at("pid").get<pid_t>();
      throw std::runtime_error("enough");
      return true;
    };
    pool.add(std::move(endless));
    EXPECT_THROW(pool.run(), std::runtime_error);
  }
  ASSERT_NE(other, 0);
  EXPECT_EQ(kill(other, 0), -1);  // it is gone
}

}  // namespace
}  // namespace assay::process
