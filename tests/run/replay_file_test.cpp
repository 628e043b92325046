// Files that hold a replay line: from anybody, so every fault of theirs is one line that names the file.
#include "harness/run/replay_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/error_of.hpp"

namespace assay::run {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kLine =
    "kernel=k manifest=m.toml mode=checked operation=gemm_fp4 K=1 M=1 N=1 group_size=8 regime=constant "
    "seed=3";

class ReplayFile : public testing::Test {
 protected:
  ~ReplayFile() override { std::filesystem::remove(file_); }
  const std::string& with(const std::string& text) const {
    std::ofstream(file_, std::ios::binary) << text;
    return file_;
  }
  std::string refusal() const {
    return error_of<std::invalid_argument>([&] { read_replay_argument(file_); });
  }
  std::string file_ =
      (std::filesystem::temp_directory_path() /
       fmt::format("assay-{}-{}", testing::UnitTest::GetInstance()->current_test_info()->name(), getpid()))
          .string();
};

TEST_F(ReplayFile, HoldsTheFirstLineThatIsNoComment) {
  for (const auto& text : {kLine, kLine + "\n", "# a comment\n\n  \n" + kLine + "\r\nk: RACE\n  at x\n",
                           "\n" + kLine + "\n" + std::string(1 << 20, 'x')}) {
    EXPECT_EQ(replay_line_in(with(text)), kLine);
    EXPECT_EQ(read_replay_argument(file_).test_case.seed, 3u);
  }
}

TEST_F(ReplayFile, MayBeNone) {
  EXPECT_EQ(read_replay_argument(kLine).kernel, "k");
  EXPECT_THAT(refusal(), StartsWith("replay line: "));  // no such file: what else could it be?
}

TEST_F(ReplayFile, OfAnybodyIsRefusedInALineThatNamesIt) {
  for (const auto& [text, why] : {std::pair{std::string(), "holds no replay line"},
                                  {std::string("# nothing\n\n"), "holds no replay line"},
                                  {std::string(1 << 20, 'x'), "in its first 65,536 bytes"},
                                  {std::string(1 << 20, '\n'), "in its first 65,536 bytes"},
                                  {std::string("\0\0\0\n", 4), "replay line"},
                                  {std::string("kernel=k\n"), "`manifest=` is missing"}}) {
    with(text);
    EXPECT_THAT(refusal(), AllOf(StartsWith(file_ + ": "), HasSubstr(why), testing::Not(HasSubstr("\n"))));
  }
}

}  // namespace
}  // namespace assay::run
