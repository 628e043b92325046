// Processor time of processes that end while somebody looks.
#include "harness/process/process_tree.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace assay::process {
namespace {

namespace fs = std::filesystem;

std::string stat_line(pid_t pid, pid_t parent, long ticks) {
  return std::to_string(pid) + " (a) name) S " + std::to_string(parent) + " 1 1 0 -1 0 0 0 0 0 " +
         std::to_string(ticks) + " 0 0 0 20 0 1\n";
}

// The file of a process that has ended since it was opened cannot be read; here a directory cannot. A busy
// machine has one such process in some thousands of looks, and each ended a whole run.
TEST(ProcessTree, LeavesOutAProcessThatEndsMeanwhile) {
  const fs::path proc = fs::temp_directory_path() / ("assay-proc-" + std::to_string(getpid()));
  for (const char* folder : {"10", "11", "12/stat", "13"}) fs::create_directories(proc / folder);
  const long second = sysconf(_SC_CLK_TCK);
  std::ofstream(proc / "10/stat") << stat_line(10, 1, second);
  std::ofstream(proc / "11/stat") << stat_line(11, 10, 2 * second);
  EXPECT_DOUBLE_EQ(processor_time_of(10, proc), 3);
  EXPECT_DOUBLE_EQ(processor_time_of(11, proc), 2);
  fs::remove_all(proc);
  EXPECT_DOUBLE_EQ(processor_time_of(10, proc), 0);
}

}  // namespace
}  // namespace assay::process
