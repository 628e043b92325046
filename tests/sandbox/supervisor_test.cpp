// A supervised program: its status, its signals, and what it would have left behind.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <functional>

#include "harness/sandbox/confinement.hpp"
#include "harness/sandbox/supervisor.hpp"

namespace assay::sandbox {
namespace {

// A program that runs `work` supervised, its end, and whether it cleaned up. `meanwhile` is called once the
// work has begun.
struct Supervision {
  int status = 0;
  bool cleaned = false, alone = false;
};

Supervision run(const std::function<int()>& work, const std::function<void(pid_t)>& meanwhile = {}) {
  std::array<int, 2> begun{}, cleaned{};
  EXPECT_EQ(pipe(begun.data()) + pipe(cleaned.data()), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    close(begun[0]);
    close(cleaned[0]);
    _exit(supervised(
        [&] {
          static_cast<void>(!write(begun[1], "b", 1));
          return work();
        },
        [&] { static_cast<void>(!write(cleaned[1], "c", 1)); }));
  }
  close(begun[1]);
  close(cleaned[1]);
  Supervision result;
  char c = 0;
  EXPECT_EQ(read(begun[0], &c, 1), 1);
  if (meanwhile) meanwhile(pid);
  waitpid(pid, &result.status, 0);
  result.cleaned = read(cleaned[0], &c, 1) == 1;
  fcntl(begun[0], F_SETFL, O_NONBLOCK);
  result.alone = read(begun[0], &c, 1) == 0;  // every process that the work has started has this pipe
  close(begun[0]);
  close(cleaned[0]);
  return result;
}

[[noreturn]] void for_ever() {
  for (;;) pause();
}

TEST(Supervised, GivesTheStatusOfTheWorkAndCleansUp) {
  const Supervision ended = run([] { return 7; });
  EXPECT_EQ(WEXITSTATUS(ended.status), 7);
  EXPECT_TRUE(ended.cleaned);
  EXPECT_TRUE(ended.alone);
}

TEST(Supervised, EndsByTheSignalItIsSentAndTakesAllAlong) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const Supervision ended = run(
        [] {
          const pid_t parent = getpid();
          if (fork() == 0) {
            die_with(parent);
            for_ever();
          }
          for_ever();
          return 0;
        },
        [&](pid_t pid) { kill(pid, number); });
    EXPECT_TRUE(WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == number) << number;
    EXPECT_TRUE(ended.cleaned && ended.alone) << number;
  }
}

TEST(Supervised, LetsTheWorkSayItsLastWords) {
  const Supervision ended = run(
      [] {
        signal(SIGINT, [](int) { _exit(3); });
        for_ever();
        return 0;
      },
      [&](pid_t pid) {
        usleep(50'000);  // for the work to install its handler
        kill(pid, SIGINT);
      });
  EXPECT_TRUE(WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == SIGINT);
  EXPECT_TRUE(ended.cleaned && ended.alone);
}

// Varied: one request, which it does not heed, and a second one, which is not waited for.
TEST(Supervised, KillsWorkThatTakesTooLongForThem) {
  for (const bool twice : {false, true}) {
    const auto start = std::chrono::steady_clock::now();
    const Supervision ended = run(
        [] {
          signal(SIGTERM, SIG_IGN);
          for_ever();
          return 0;
        },
        [&](pid_t pid) {
          usleep(50'000);
          kill(pid, SIGTERM);
          if (twice) usleep(300'000);
          if (twice) kill(pid, SIGTERM);
        });
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    EXPECT_TRUE(WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == SIGTERM) << twice;
    if (!twice) {
      EXPECT_GE(took.count(), kLastWords_ms);
    }
    EXPECT_LT(took.count(), kLastWords_ms + 1000) << twice;
  }
}

TEST(Supervised, EndsWhatTheWorkHasLeftBehind) {
  const Supervision ended = run([] {
    if (fork() == 0) {
      setsid();  // in no group of ours, and not told to die
      for_ever();
    }
    return 0;
  });
  EXPECT_EQ(ended.status, 0);
  EXPECT_TRUE(ended.alone);
}

TEST(Supervised, EndsAsAWorkThatCrashes) {
  const Supervision ended = run([]() -> int {
    raise(SIGKILL);
    return 0;
  });
  EXPECT_TRUE(WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == SIGKILL);
  EXPECT_TRUE(ended.cleaned);
}

}  // namespace
}  // namespace assay::sandbox
