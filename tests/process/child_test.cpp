// What a child says, how it ends, and what it cannot forge.
#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "harness/process/child.hpp"
#include "harness/sandbox/confinement.hpp"

namespace assay::process {
namespace {

using testing::HasSubstr;

struct Heard {
  std::vector<nlohmann::json> messages;
  std::optional<Death> death;
};

Heard hear(Child child) {
  Heard heard;
  for (bool open = true; open;) {
    pollfd polled{child.fd(), POLLIN, 0};
    poll(&polled, 1, kPoll_ms);
    open = child.receive();
    while (auto message = child.next()) heard.messages.push_back(*message);
  }
  heard.death = child.join();
  return heard;
}

TEST(Child, WhatItReportsArrives) {
  const auto heard = hear(Child([](const Reporter& reporter) {
    reporter.send({{"sum", 41}});
    reporter.send({{"sum", 42}});
  }));
  ASSERT_EQ(heard.messages.size(), 2u);
  EXPECT_EQ(heard.messages[1].at("sum"), 42);
  EXPECT_FALSE(heard.death);
}

TEST(Child, WhateverIsThrownIsSaidAndEndsIt) {
  const auto heard = hear(Child([](const Reporter&) { throw std::runtime_error("no luck"); }));
  ASSERT_EQ(heard.messages.size(), 1u);
  EXPECT_EQ(heard.messages[0].at("what"), "no luck");
  const auto other = hear(Child([](const Reporter&) { throw 7; }));
  ASSERT_EQ(other.messages.size(), 1u);
  EXPECT_EQ(other.messages[0].at("type"), "failed");
}

TEST(Child, AFaultOfAConfinedProcessIsTold) {
  const auto heard =
      hear(Child([](const Reporter&) { *reinterpret_cast<volatile int*>(std::uintptr_t{0x4560}) = 1; },
                 Trust::confined));
  ASSERT_TRUE(heard.death);
  EXPECT_EQ(heard.death->signal, SIGSEGV);
  EXPECT_EQ(heard.death->address, 0x4560u);
}

TEST(Child, EndsAsTheProcessThatRanAKernelForIt) {
  Death death;
  death.signal = SIGSEGV;
  death.address = 0x4560;
  death.place = {"a.metal", 3};
  const auto heard = hear(Child([&](const Reporter&) { throw KernelProcessEnded{death}; }));
  ASSERT_TRUE(heard.death);
  EXPECT_EQ(heard.death->describe(), death.describe());
  Death early;
  early.early = true;
  const auto ended = hear(Child([&](const Reporter&) { throw KernelProcessEnded{early}; }));
  ASSERT_TRUE(ended.death);
  EXPECT_EQ(ended.death->describe(), "the kernel ended it, which a kernel must not do");
}

TEST(Child, ASystemCallOfAConfinedProcessIsNamed) {
  if (!sandbox::filters_system_calls()) GTEST_SKIP() << "sanitizers make system calls themselves";
  const auto heard = hear(Child([&](const Reporter&) { static_cast<void>(!chdir("/")); }, Trust::confined));
  ASSERT_TRUE(heard.death);
  EXPECT_THAT(heard.death->describe(), HasSubstr("calls the operating system (chdir)"));
}

TEST(Child, WhatIsNoMessageStopsIt) {
  for (const std::string said : {"\n", "0123456789abcdef {}\n", "[]\n", "{\"fault\":1}\n"}) {
    const auto heard = hear(Child([&](const Reporter& reporter) {
      reporter.send({{"case", 1}});
      static_cast<void>(!write(reporter.fd(), said.data(), said.size()));
      for (;;) pause();
    }));
    EXPECT_EQ(heard.messages.size(), 1u) << said;
    ASSERT_TRUE(heard.death) << said;
    EXPECT_THAT(heard.death->describe(), HasSubstr("this program did not write")) << said;
  }
}

TEST(Child, EndsWithAllThatItStarted) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  {
    Child child([&](const Reporter& reporter) {
      if (fork() == 0) {
        for (;;) pause();  // holds the pipe
      }
      reporter.send({{"started", true}});
      for (;;) pause();
    });
    while (!child.next()) {
      pollfd polled{child.fd(), POLLIN, 0};
      poll(&polled, 1, kPoll_ms);
      child.receive();
    }
  }
  close(ends[1]);
  char c = 0;
  EXPECT_EQ(read(ends[0], &c, 1), 0) << "until the last process that holds the pipe has ended";
  close(ends[0]);
}

}  // namespace
}  // namespace assay::process
