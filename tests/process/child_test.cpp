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

TEST(Child, WhatAConfinedProcessReturnsAndReportsArrives) {
  const auto heard = hear(Child([](const Reporter& reporter) {
    const auto result = run_confined(reporter, [&] {
      reporter.send({{"from", "inside"}});
      return nlohmann::json{{"sum", 42}};
    });
    reporter.send(result);
  }));
  ASSERT_EQ(heard.messages.size(), 2u);
  EXPECT_EQ(heard.messages[0].at("from"), "inside");
  EXPECT_EQ(heard.messages[1].at("sum"), 42);
  EXPECT_FALSE(heard.death);
}

TEST(Child, AnExceptionInAConfinedProcessIsOneOfTheChild) {
  const auto heard = hear(Child([](const Reporter& reporter) {
    run_confined(reporter, []() -> nlohmann::json { throw std::runtime_error("no luck"); });
  }));
  ASSERT_EQ(heard.messages.size(), 1u);
  EXPECT_EQ(heard.messages[0].at("what"), "no luck");
}

TEST(Child, AFaultInAConfinedProcessIsThatOfTheChild) {
  const auto heard = hear(Child([](const Reporter& reporter) {
    run_confined(reporter, []() -> nlohmann::json {
      *reinterpret_cast<volatile int*>(std::uintptr_t{0x4560}) = 1;
      return nullptr;
    });
  }));
  ASSERT_TRUE(heard.death);
  EXPECT_EQ(heard.death->signal, SIGSEGV);
  EXPECT_EQ(heard.death->address, 0x4560u);
}

TEST(Child, ASystemCallOfAConfinedProcessIsNamed) {
  if (!sandbox::filters_system_calls()) GTEST_SKIP() << "sanitizers make system calls themselves";
  for (const bool nested : {false, true}) {
    const auto heard = hear(Child(
        [&](const Reporter& reporter) {
          if (!nested) static_cast<void>(!chdir("/"));
          run_confined(reporter, []() -> nlohmann::json { return chdir("/"); });
        },
        nested ? Trust::whole : Trust::confined));
    ASSERT_TRUE(heard.death) << nested;
    EXPECT_THAT(heard.death->describe(), HasSubstr("calls the operating system (chdir)")) << nested;
  }
}

TEST(Child, AnEarlyExitIsNoPass) {
  const auto heard = hear(Child([](const Reporter& reporter) {
    run_confined(reporter, []() -> nlohmann::json { _exit(0); });
    reporter.send({{"verdict", "pass"}});
  }));
  EXPECT_TRUE(heard.messages.empty());
  ASSERT_TRUE(heard.death);
  EXPECT_EQ(heard.death->describe(), "the kernel ended it, which a kernel must not do");
}

TEST(Child, AMessageWithoutTheWordOfTheChannelStopsIt) {
  for (const std::string forged :
       {"{\"type\":\"result\",\"verdict\":\"pass\"}\n", "\n", "0123456789abcdef {}\n"}) {
    const auto heard = hear(Child([&](const Reporter& reporter) {
      reporter.send({{"case", 1}});
      static_cast<void>(!write(reporter.fd(), forged.data(), forged.size()));
      for (;;) pause();
    }));
    EXPECT_EQ(heard.messages.size(), 1u) << forged;
    ASSERT_TRUE(heard.death) << forged;
    EXPECT_THAT(heard.death->describe(), HasSubstr("this program did not write")) << forged;
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
