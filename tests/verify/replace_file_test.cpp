// A file that is written whole: what was there before stands until then.
#include "harness/verify/replace_file.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/error_of.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ReplaceFile : public testing::Test {
 protected:
  ReplaceFile() {
    std::string pattern = (fs::temp_directory_path() / "replace_test.XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
  }
  ~ReplaceFile() override { fs::remove_all(folder_); }

  static std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void replace(const fs::path& path, std::string_view text) { replace_file(path, std::array{text}); }
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
};

TEST_F(ReplaceFile, PutsThePiecesInThePlaceOfWhatWasThere) {
  replace(folder_ / "f", "one");
  replace_file(folder_ / "f", std::array<std::string_view, 3>{"t", "", "wo"});
  EXPECT_EQ(read(folder_ / "f"), "two");
  EXPECT_EQ(files(), 1);
}

TEST_F(ReplaceFile, RefusesALinkWhoeverMadeIt) {
  replace(folder_ / "f", "one");
  fs::create_symlink("f", folder_ / "link");
  fs::create_symlink("nothing", folder_ / "dangling");
  fs::create_symlink("/dev/null", folder_ / "device");
  for (const char* name : {"link", "dangling", "device"}) {
    EXPECT_THAT(error_of<std::runtime_error>([&] { replace(folder_ / name, "two"); }), HasSubstr("is a link"));
    EXPECT_THAT(error_of<std::runtime_error>([&] { check_replaceable(folder_ / name); }),
                HasSubstr("is a link"));
  }
  EXPECT_EQ(read(folder_ / "f"), "one");
  EXPECT_EQ(files(), 4);
}

TEST_F(ReplaceFile, DoesNotWriteThroughALinkInThePlaceOfThePart) {
  replace(folder_ / "other", "one");
  fs::create_symlink("other", folder_ / ("f" + std::string(kPartSuffix)));
  replace(folder_ / "f", "two");
  EXPECT_EQ(read(folder_ / "other"), "one");
  EXPECT_EQ(read(folder_ / "f"), "two");
  EXPECT_FALSE(fs::is_symlink(folder_ / "f"));
}

TEST_F(ReplaceFile, WritesToWhatTheMachineCallsADescriptor) {
  const int end = dup(STDERR_FILENO);
  replace("/dev/stderr", "");
  replace("/dev/fd/" + std::to_string(end), "");
  replace("/proc/self/fd/" + std::to_string(end), "");
  close(end);
}

TEST_F(ReplaceFile, SaysWhyItCannotAndLeavesNothing) {
  EXPECT_THAT(error_of<std::runtime_error>([&] { replace(folder_ / "no" / "f", "x"); }),
              HasSubstr("No such file"));
  EXPECT_THAT(error_of<std::runtime_error>([&] { replace(folder_, "x"); }), HasSubstr("Is a directory"));
  EXPECT_THAT(error_of<std::runtime_error>([&] { replace("/dev/full", "x"); }), HasSubstr("No space left"));
  EXPECT_THAT(error_of<std::runtime_error>([&] { check_replaceable(folder_ / "no" / "f"); }),
              HasSubstr("No such file"));
  EXPECT_THAT(error_of<std::runtime_error>([&] { check_replaceable(folder_); }), HasSubstr("Is a directory"));
  EXPECT_EQ(files(), 0);
}

TEST_F(ReplaceFile, IsTriedWithoutATrace) {
  check_replaceable(folder_ / "new");
  EXPECT_EQ(files(), 0);
  replace(folder_ / "f", "one");
  check_replaceable(folder_ / "f");
  EXPECT_EQ(read(folder_ / "f"), "one");
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace assay
