// A directory that goes with the test.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace assay::fuzz {

class Scratch {
 public:
  Scratch()
      : root_(std::filesystem::temp_directory_path() /
              fmt::format("assay-fuzzing-{}-{}",
                          testing::UnitTest::GetInstance()->current_test_info()->name(), getpid())) {
    std::filesystem::create_directories(root_);
  }
  ~Scratch() { std::filesystem::remove_all(root_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return root_ / name; }

 private:
  std::filesystem::path root_;
};

}  // namespace assay::fuzz
