// What a confined process may still do, and what ends it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "harness/sandbox/confinement.hpp"
#include "harness/sandbox/fault_watch.hpp"
#include "harness/sandbox/filter.hpp"
#include "harness/sandbox/processor_clock.hpp"
#include "tests/signals_at_once.hpp"

namespace assay::sandbox {
namespace {

struct Ended {
  int status = 0;
  std::string said;
};

// Runs `body` in a confined process that may write to one pipe, whose number it is given.
Ended confined(const std::function<void(int)>& body) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  (void)missing_confinement();
  const pid_t pid = fork();
  if (pid == 0) {
    confine_runner(ends[1]);
    watch_faults(ends[1]);
    body(ends[1]);
    _exit(0);
  }
  close(ends[1]);
  Ended ended;
  std::array<char, 4096> chunk;
  for (ssize_t n; (n = read(ends[0], chunk.data(), chunk.size())) > 0;)
    ended.said.append(chunk.data(), static_cast<std::size_t>(n));
  close(ends[0]);
  waitpid(pid, &ended.status, 0);
  return ended;
}

// A program that a full disk cut was read into memory that had room for whole instructions alone.
TEST(Filter, IsMadeWhereNoFileMayGrow) {
  const pid_t pid = fork();
  if (pid == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit room{13, 13};
    setrlimit(RLIMIT_FSIZE, &room);
    _exit(SystemCallFilter::of_runners().available() && SystemCallFilter::of_compilers().available() ? 0 : 1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
}

struct Deed {
  const char* name;  ///< the system call that it comes to
  std::function<void(int)> body;
};

std::ostream& operator<<(std::ostream& out, const Deed& deed) { return out << deed.name; }

const pid_t kTests = getpid();

// The first word is that of the system call as the filter sees it on x86-64; others may come first elsewhere.
class Forbidden : public testing::TestWithParam<Deed> {};

TEST_P(Forbidden, EndsTheProcessAndIsNamed) {
  if (!filters_system_calls()) GTEST_SKIP() << "sanitizers make these calls themselves";
  ASSERT_EQ(missing_confinement(), "") << "these tests need a kernel with seccomp and Landlock";
  const Ended ended = confined(GetParam().body);
  ASSERT_TRUE(WIFEXITED(ended.status)) << ended.status;
  EXPECT_EQ(WEXITSTATUS(ended.status), 128 + SIGSYS) << ended.said;
  const auto at = ended.said.find("\"call\":");
  ASSERT_NE(at, std::string::npos) << ended.said;
  EXPECT_EQ(name_of_system_call(std::stoi(ended.said.substr(at + 7))), GetParam().name) << ended.said;
}

INSTANTIATE_TEST_SUITE_P(
    Calls, Forbidden,
    testing::Values(Deed{"openat", [](int) { (void)open("/etc/passwd", O_RDONLY); }},
                    Deed{"unlink", [](int) { unlink("/tmp/assay-that-is-not-there"); }},
                    Deed{"socket", [](int) { (void)socket(AF_INET, SOCK_STREAM, 0); }},
                    Deed{"clone", [](int) { (void)fork(); }},
                    Deed{"execve", [](int) { execl("/bin/true", "true", nullptr); }},
                    Deed{"kill", [](int) { kill(kTests, 0); }},
                    Deed{"tgkill", [](int) { (void)tgkill(kTests, kTests, 0); }},
                    Deed{"write", [](int) { (void)!write(STDOUT_FILENO, "1 of 1 kernels pass\n", 20); }},
                    Deed{"read",
                         [](int) {
                           char c;
                           (void)!read(STDIN_FILENO, &c, 1);
                         }},
                    Deed{"ptrace", [](int) { ptrace(PTRACE_TRACEME, 0, nullptr, nullptr); }},
                    Deed{"mmap",
                         [](int) {
                           (void)mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                                      0);
                         }},
                    Deed{"mprotect",
                         [](int) {
                           void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                           mprotect(page, 4096, PROT_READ | PROT_EXEC);
                         }},
                    Deed{"dup", [](int fd) { (void)dup(fd); }}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Confined, MayUseMemoryThreadsClocksAndItsReport) {
  const Ended ended = confined([](int fd) {
    std::vector<int> large(1 << 22, 1);
    long sum = 0;
    std::thread([&] {
      for (const int one : large) sum += one;
    }).join();
    const bool later = std::chrono::steady_clock::now().time_since_epoch().count() > 0;
    const std::string said = std::to_string(sum) + (later ? " later" : "");
    (void)!write(fd, said.data(), said.size());
  });
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.said, "4194304 later");
}

// A lane's stack ends in a page that nothing may touch, and may hold fewer words than a look takes.
TEST(Confined, IsLookedAtWhereItIsLateAsFarAsItsStackGoes) {
  ASSAY_NEEDS_SIGNALS_AT_ONCE();
  constexpr std::size_t kPage = 65536;
  static ucontext_t here, lane;
  const Ended ended = confined([](int) {
    auto* stack = static_cast<char*>(
        mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(stack + kPage, kPage, PROT_NONE);
    getcontext(&lane);
    lane.uc_stack = {stack, 0, kPage};
    makecontext(
        &lane,
        +[] {
          for (volatile unsigned spins = 0;;) spins = spins + 1;
        },
        0);
    limit_processor_time(0.05);
    start_processor_clock();
    swapcontext(&here, &lane);
  });
  EXPECT_TRUE(WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == SIGPROF) << ended.status << ended.said;
  std::size_t looks = 0;
  for (std::size_t at = 0; (at = ended.said.find("\"stack\":[", at)) != std::string::npos; ++at, ++looks) {
    const std::string stack = ended.said.substr(at, ended.said.find(']', at) - at);
    const auto words = static_cast<std::size_t>(std::count(stack.begin(), stack.end(), ',')) + 1;
    EXPECT_LT(words, 128u) << stack;
    EXPECT_GT(words, 1u) << stack;
  }
  EXPECT_EQ(looks, 40u);
}

// Where threads are many, malloc would ask the system how many processors there are.
TEST(Confined, MayHaveManyThreadsThatAllocate) {
  const Ended ended = confined([](int fd) {
    std::latch all(32);
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 32; ++i) {
        threads.emplace_back([&] {
          std::vector<char> own(100, 'x');
          all.arrive_and_wait();
        });
      }
    }
    (void)!write(fd, "done", 4);
  });
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.said, "done");
}

TEST(Confined, EndsByItsOwnAbort) {
  const Ended ended = confined([](int) { abort(); });
  ASSERT_TRUE(WIFSIGNALED(ended.status)) << ended.status << ended.said;
  EXPECT_EQ(WTERMSIG(ended.status), SIGABRT);
}

TEST(Confined, InheritsNoOtherDescriptor) {
  std::array<int, 2> other{};
  ASSERT_EQ(pipe(other.data()), 0);
  const Ended ended = confined([](int) {});
  close(other[1]);  // the last writer: a confined process that had it would keep it
  char c = 0;
  EXPECT_EQ(read(other[0], &c, 1), 0);
  close(other[0]);
  EXPECT_EQ(ended.status, 0);
}

TEST(FaultWatch, TellsTheAddressOfAMemoryFaultAndTheMeaningOfAGuard) {
  static void* page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  name_guards({reinterpret_cast<std::uintptr_t>(page), 4096, 4096, 1}, "this page is a guard");
  const Ended ended = confined([](int) { *static_cast<volatile int*>(page) = 1; });
  forget_guards(reinterpret_cast<std::uintptr_t>(page));
  ASSERT_TRUE(WIFSIGNALED(ended.status));
  EXPECT_EQ(WTERMSIG(ended.status), SIGSEGV);
  EXPECT_NE(ended.said.find("\"guard\":\"this page is a guard\""), std::string::npos) << ended.said;
  EXPECT_NE(ended.said.find("\"address\":" + std::to_string(reinterpret_cast<std::uintptr_t>(page))),
            std::string::npos);
}

}  // namespace
}  // namespace assay::sandbox
