// Sources whose names a compiler could take for something else, and a disk that is full.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/metal/compile/errors.hpp"
#include "harness/metal/module/module.hpp"
#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

constexpr const char* kText =
    "#include \"value.h\"\nkernel void k(device int* out [[buffer(0)]]) { out[0] = VALUE; }\n";

// Relative to the working directory, as a manifest beside it gives them.
class OddNames : public testing::TestWithParam<std::string> {
 protected:
  OddNames() : before_(fs::current_path()) {
    directory_.write("value.h", "#define VALUE 1\n");
    fs::current_path(directory_.path());
  }
  ~OddNames() override { fs::current_path(before_); }
  TemporaryDirectory directory_;
  fs::path before_;
};

TEST_P(OddNames, AreNamesAndNoOptions) {
  directory_.write(GetParam(), "#include \"one.h\"\n#include \"two.h\"\n" + std::string(kText));
  device::KernelSource source;
  source.path = GetParam();
  source.function = "k";
  source.include_dirs = {"-o", "@list"};
  for (const auto& folder : source.include_dirs) fs::create_directory(folder);
  directory_.write("-o/one.h", "\n");
  directory_.write("@list/two.h", "\n");
  EXPECT_EQ(compile(source, Flavour::fast)->parameters().size(), 1u);
  EXPECT_FALSE(fs::exists("a.out"));
}

INSTANTIATE_TEST_SUITE_P(, OddNames,
                         testing::Values("-o.metal", "-fplugin=x", "--version", "@options", "a b.metal", "-",
                                         "\xC3\xA9.metal", "$HOME", "'quoted'", "x;id"));

TEST(FullDisk, WhileAKernelIsCompiledIsSaidToBeThat) {
  const TemporaryDirectory directory;
  directory.write("value.h", "#define VALUE 1\n");
  device::KernelSource source;
  source.path = directory.write("k.metal", kText);
  source.function = "k";
  const auto tools = find_toolchain(directory.path() / "cache");
  const pid_t pid = fork();
  if (pid == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit room{2000, 2000};  // for the text, and not for what the compiler makes of it
    setrlimit(RLIMIT_FSIZE, &room);
    try {
      compile(source, Flavour::checked, tools);
    } catch (const ToolchainError& error) {
      _exit(std::string(error.what()).find("cannot write") == 0 ? 0 : 1);
    } catch (const std::exception&) {
      _exit(2);
    }
    _exit(3);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0) << "1: other words, 2: an error of the kernel's, 3: none";
}

}  // namespace
}  // namespace assay::metal
