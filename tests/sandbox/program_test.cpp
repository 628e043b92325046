// Programs that do not end, write without end, or outlive the one that started them.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "harness/sandbox/confinement.hpp"
#include "harness/sandbox/program.hpp"

namespace assay::sandbox {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Program : public testing::Test {
 protected:
  Program() : root_(fs::temp_directory_path() / ("assay-program-" + std::to_string(getpid()))) {
    fs::create_directories(root_);
  }
  ~Program() override { fs::remove_all(root_); }

  // Numbers of processes that write themselves into this file as they start.
  std::string note() const { return "echo $$ >> " + (root_ / "pids").string() + "; "; }
  bool all_are_gone(std::size_t expected) const {
    for (int i = 0; i < 500; ++i) {
      std::ifstream in(root_ / "pids");
      std::size_t count = 0, alive = 0;
      for (pid_t pid; in >> pid; ++count) alive += kill(pid, 0) == 0 ? 1 : 0;
      if (count == expected && alive == 0) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  fs::path root_;
};

TEST_F(Program, GivesWhatItWroteAndItsStatus) {
  const auto result = run_program({"sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}).exit_code, 128 + SIGKILL);
}

// Compilers wait for a pipe that a text includes until somebody writes to it.
TEST_F(Program, ThatWaitsForAPipeOfTheFileSystemIsStopped) {
  ASSERT_EQ(mkfifo((root_ / "pipe").c_str(), 0600), 0);
  ProgramOptions options;
  options.directory = root_.string();
  options.timeout_s = 60;
  options.files =
      FileAccess{{"/bin", "/lib", "/lib64", "/usr", "/etc/ld.so.cache", root_}, {"/dev/null"}, {}};
  for (const char* script : {"cat pipe", "cat ./pipe; true", "cat pipe | cat"}) {
    const auto result = run_program({"sh", "-c", script}, options);
    EXPECT_THAT(result.stopped, HasSubstr("pipe` is a pipe, not a regular file")) << script;
  }
  // One that a writer holds open and says nothing in.
  const int held = open((root_ / "pipe").c_str(), O_RDWR | O_CLOEXEC);
  EXPECT_THAT(run_program({"cat", "pipe"}, options).stopped, HasSubstr("is a pipe"));
  close(held);
  EXPECT_EQ(run_program({"sh", "-c", "sleep 1; echo done"}, options).out, "done\n");
}

TEST_F(Program, ThatIsNotThereIsAnError) {
  try {
    run_program({"assay-no-such-program"});
    FAIL();
  } catch (const ProgramError& error) {
    EXPECT_STREQ(error.what(), "cannot run assay-no-such-program: No such file or directory");
  }
}

TEST_F(Program, ThatPassesItsTimeEndsWithAllThatItStarted) {
  ProgramOptions options;
  options.timeout_s = 0.5;
  const auto result =
      run_program({"sh", "-c", note() + "sh -c '" + note() + "while :; do :; done' & wait"}, options);
  EXPECT_EQ(result.stopped, "it did not end within 0.5 s");
  EXPECT_TRUE(all_are_gone(2));
}

TEST_F(Program, LeavesNothingRunningBehindItsEnd) {
  EXPECT_EQ(run_program(
                {"sh", "-c", note() + "(" + "sh -c '" + note() + "sleep 600' >/dev/null 2>&1 &) ; sleep 0.2"})
                .exit_code,
            0);
  EXPECT_TRUE(all_are_gone(2));
}

TEST_F(Program, ThatWritesWithoutEndIsStopped) {
  ProgramOptions options;
  options.output_bytes = 100000;
  EXPECT_EQ(run_program({"yes"}, options).stopped, "it wrote more than 100000 bytes");
}

TEST_F(Program, DiesWithAProcessThatIsKilled) {
  const pid_t pid = fork();
  if (pid == 0) {
    run_program({"sh", "-c", note() + "sh -c '" + note() + "sleep 600'; true"});
    _exit(0);
  }
  while (!fs::exists(root_ / "pids") || fs::file_size(root_ / "pids") < 4)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  EXPECT_TRUE(all_are_gone(2));
}

TEST_F(Program, SeesOnlyTheFilesItIsGiven) {
  ASSERT_EQ(missing_confinement(), "") << "this test needs a kernel with Landlock";
  fs::create_directories(root_ / "open");
  fs::create_directories(root_ / "closed");
  std::ofstream(root_ / "closed/secret") << "secret";
  std::ofstream(root_ / "open/word") << "word";
  ProgramOptions options;
  options.files =
      FileAccess{{"/bin", "/lib", "/lib64", "/usr", "/etc/ld.so.cache", root_ / "open"}, {"/dev/null"}, {}};
  const auto reads = run_program({"cat", (root_ / "open/word").string()}, options);
  EXPECT_EQ(reads.out, "word") << reads.err;
  for (const std::string command : {"cat closed/secret", "cat /etc/passwd", "echo x > open/word",
                                    "echo x > new", "ln -s closed/secret open/link"}) {
    options.directory = root_.string();
    const auto refused = run_program({"sh", "-c", command}, options);
    EXPECT_NE(refused.exit_code, 0) << command << refused.out;
    EXPECT_THAT(refused.err, HasSubstr("ermission denied")) << command;
  }
}

TEST_F(Program, InheritsNoDescriptor) {
  const auto result = run_program({"sh", "-c", "ls /proc/self/fd | wc -l"});
  EXPECT_EQ(result.out, "4\n") << "0, 1, 2 and the folder that ls reads";
}

}  // namespace
}  // namespace assay::sandbox
