// What the preprocessor makes of a text is kept for the process: never longer than its files stay as they
// are.
#include <gmock/gmock.h>

#include "harness/metal/compile/errors.hpp"
#include "harness/metal/text/preprocess.hpp"
#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class Preprocessed : public testing::Test {
 protected:
  void write(const char* name, const std::string& text) const {
    std::ofstream(directory_.path() / name) << text;
  }
  std::string preprocessed(const Toolchain& tools) const { return preprocess(source_, tools); }

  TemporaryDirectory directory_;
  device::KernelSource source_ = KernelRun(directory_.path() / "text.metal", "kernel").source();
};

TEST_F(Preprocessed, IsMadeOnce) {
  write("text.metal", "#define ONE 1\nint of_text = ONE;\n");
  const auto made = preprocessed(toolchain());
  EXPECT_THAT(made, HasSubstr("of_text = 1"));
  Toolchain broken = toolchain();  // where nothing can be made
  broken.cache = directory_.path() / "nothing";
  EXPECT_EQ(preprocessed(broken), made);
  write("text.metal", "int of_other = 1;\n");
  EXPECT_THROW(preprocessed(broken), ToolchainError);
  EXPECT_THAT(preprocessed(toolchain()), HasSubstr("of_other"));
}

TEST_F(Preprocessed, FollowsWhatItsHeadersSay) {
  write("header.h", "int first;\n");
  write("text.metal", "#include \"header.h\"\n");
  EXPECT_THAT(preprocessed(toolchain()), HasSubstr("first"));
  write("header.h", "int second;\n");
  EXPECT_THAT(preprocessed(toolchain()), AllOf(HasSubstr("second"), Not(HasSubstr("first"))));
}

TEST_F(Preprocessed, IsAnotherTextUnderOtherMacros) {
  write("text.metal", "int of_text = SIZE;\n");
  source_.defines["SIZE"] = "3";
  EXPECT_THAT(preprocessed(toolchain()), HasSubstr("of_text = 3"));
  source_.defines["SIZE"] = "4";
  EXPECT_THAT(preprocessed(toolchain()), HasSubstr("of_text = 4"));
}

}  // namespace
}  // namespace assay::metal
