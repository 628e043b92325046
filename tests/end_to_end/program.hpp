// Runs the assay program as a user would, in a directory of its own.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "harness/metal/compile/process.hpp"

namespace assay::end_to_end {

namespace fs = std::filesystem;

inline const fs::path kSource = ASSAY_SOURCE_DIR;
inline const fs::path kProgram = ASSAY_PROGRAM;

/// What Metal texts begin with.
inline const std::string kHead = "#include <metal_stdlib>\nusing namespace metal;\n";

/// A directory that goes with the test.
class Scratch {
 public:
  Scratch() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = fmt::format("assay-{}-{}-{}", test->test_suite_name(), test->name(), getpid());
    for (char& c : name) c = c == '/' ? '_' : c;
    root_ = fs::temp_directory_path() / name;
    fs::create_directories(root_);
  }
  ~Scratch() { fs::remove_all(root_); }

  fs::path operator/(const std::string& name) const { return root_ / name; }
  const fs::path& root() const { return root_; }

  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / name) << text;
    return root_ / name;
  }

 private:
  fs::path root_;
};

inline std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The text with something else in one place.
inline std::string with(std::string text, const std::string& what, const std::string& instead) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), instead);
}

/// Takes from the environment what the program would heed and tests do not mean: shards of the tests
/// themselves, and the workflow that they run in.
inline void clear_environment() {
  static const bool once = [] {
    for (const char* name :
         {"GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN",
          "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_STEP", "JOB_COMPLETION_INDEX",
          "ASSAY_SHARDS", "GITHUB_ACTIONS", "GITHUB_WORKSPACE"}) {
      unsetenv(name);
    }
    return true;
  }();
  (void)once;
}

inline metal::ProcessResult assay(std::vector<std::string> arguments, const fs::path& program = kProgram) {
  clear_environment();
  arguments.insert(arguments.begin(), program.string());
  return metal::run_process(arguments);
}

/// Processes, other than this one, that have this word in their environment.
inline std::vector<pid_t> processes_with(const std::string& word) {
  std::vector<pid_t> found;
  std::error_code ended;
  for (const auto& entry : fs::directory_iterator("/proc", ended)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos || std::stoi(name) == getpid()) continue;
    if (read(entry.path() / "environ").find(word) != std::string::npos) found.push_back(std::stoi(name));
  }
  return found;
}

/// A manifest of one gemm_fp4 kernel in `source`.
inline std::string manifest_of(const std::string& source, const std::string& function) {
  return fmt::format(
      "[[kernel]]\nname = \"{1}\"\nsource = \"{0}\"\noperation = \"gemm_fp4\"\n"
      "arguments = [\"A\", \"B\", \"scales\", \"C\", \"M\", \"N\", \"K\", \"group_size\"]\n"
      "threads_per_threadgroup = 32\ntile = {{ m = 8, n = 8, k = 8 }}\ngrid = \"tiles\"\n",
      source, function);
}

/// A gemm_fp4 kernel with this body.
inline std::string kernel_text(const std::string& body) {
  return "#include <metal_stdlib>\nusing namespace metal;\n"
         "kernel void k(device const half* A [[buffer(0)]], device const uint* B [[buffer(1)]],\n"
         "              device const half* scales [[buffer(2)]], device half* C [[buffer(3)]],\n"
         "              constant uint& M [[buffer(4)]], constant uint& N [[buffer(5)]],\n"
         "              constant uint& K [[buffer(6)]], constant uint& group_size [[buffer(7)]],\n"
         "              uint i [[thread_index_in_threadgroup]]) {\n" +
         body + "\n}\n";
}

}  // namespace assay::end_to_end
