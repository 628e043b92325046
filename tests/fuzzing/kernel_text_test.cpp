// The hash of a kernel's text: another for another text, of it or of what it includes.
#include "harness/fuzz/kernel_text.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "tests/fuzzing/scratch.hpp"

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;

class KernelTexts : public testing::Test {
 protected:
  KernelTexts() {
    write("k.metal", "#include \"h.h\"\nkernel void k() {}\n");
    write("h.h", "// one\n");
    entry_.source = scratch_ / "k.metal";
    entry_.function = "k";
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(scratch_ / name) << text;
    const auto past = fs::file_time_type::clock::now() - std::chrono::hours(100 - ++writes_);
    fs::last_write_time(scratch_ / name, past);  // clocks of files are coarse
  }
  Scratch scratch_;
  KernelEntry entry_;
  int writes_ = 0;
};

TEST_F(KernelTexts, ChangeWithWhatTheyInclude) {
  KernelText text(entry_);
  const std::string first = text.hash();
  text.refresh();
  EXPECT_EQ(text.hash(), first);
  write("h.h", "// two\n");
  EXPECT_EQ(text.hash(), first) << "before it is read again";
  text.refresh();
  EXPECT_NE(text.hash(), first);
  write("h.h", "// one\n");
  text.refresh();
  EXPECT_EQ(text.hash(), first);
}

TEST_F(KernelTexts, ThatDoNotPreprocessHaveAHashToo) {
  write("k.metal", "#error no\n");
  KernelText text(entry_);
  const std::string first = text.hash();
  write("k.metal", "#error nor this\n");
  text.refresh();
  EXPECT_NE(text.hash(), first);
  fs::remove(scratch_ / "k.metal");
  text.refresh();
  EXPECT_FALSE(text.hash().empty());
}

}  // namespace
}  // namespace assay::fuzz
