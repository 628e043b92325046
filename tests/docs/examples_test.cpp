// What CONTRIBUTING says of the examples' lengths is what they are.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>

namespace {

std::string contents_of(const std::string& path) {
  std::ifstream file(ASSAY_SOURCE_DIR "/" + path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::ptrdiff_t lines_of(std::initializer_list<const char*> files) {
  std::ptrdiff_t lines = 0;
  for (const std::string file : files) {
    const auto text = contents_of("examples/" + file);
    lines += std::count(text.begin(), text.end(), '\n');
  }
  return lines;
}

TEST(Examples, HaveTheLengthsThatContributingSays) {
  std::string text = contents_of("CONTRIBUTING.md");
  std::replace(text.begin(), text.end(), '\n', ' ');
  EXPECT_THAT(text, testing::HasSubstr(fmt::format(
                        "values ({} lines), a reference ({} lines) and tests ({} lines)",
                        lines_of({"operation/absmax.cpp"}),
                        lines_of({"operation/absmax_reference.cpp", "operation/absmax_reference.hpp"}),
                        lines_of({"operation/absmax_test.cpp"}))));
  EXPECT_THAT(text, testing::HasSubstr(fmt::format("`examples/device` has one of {} lines, with one line",
                                                   lines_of({"device/counting_device.hpp"}))));
}

}  // namespace
