// Machines whose programs are missing, silent or slow.
#include <gmock/gmock.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::HasSubstr;

// A run of the program in an environment of its own.
metal::ProcessResult in_environment(const std::vector<std::pair<std::string, std::string>>& variables,
                                    const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {"/usr/bin/env"};
  for (const auto& [name, value] : variables) command.push_back(name + "=" + value);
  command.push_back(kProgram.string());
  command.insert(command.end(), arguments.begin(), arguments.end());
  return metal::run_process(command);
}

// A compiler that does `instead` where it is to compile a kernel, and else what ours does, which lies beside
// it.
fs::path compiler_script(const Scratch& scratch, const std::string& instead) {
  fs::copy_file(metal::find_compiler(), scratch / "real");
  const auto script = scratch.write(
      "compiler", "#!/bin/sh\nif [ $1 = object ]; then " + instead + "; fi\nexec \"${0%/*}/real\" \"$@\"\n");
  fs::permissions(script, fs::perms::owner_all);
  return script;
}

// Without addr2line, a race ended in an exception, and its verdict was `crash`.
TEST(Toolchain, NeedsNoOtherProgramToNameTheLineOfARace) {
  const Scratch scratch;
  scratch.write("k.metal", kernel_text("threadgroup uint t[1];\nt[0] = i;\nC[0] = half(t[0]);"));
  const auto manifest = scratch.write("m.toml", manifest_of("k.metal", "k"));
  const auto result = in_environment({{"PATH", ""}, {"ASSAY_CACHE_DIR", (scratch / "cache").string()}},
                                     {"verify", "--mode", "checked", "--manifest", manifest.string()});
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("k: RACE"));
  EXPECT_THAT(result.out, HasSubstr("k.metal:9\n         9 | t[0] = i;"));
}

TEST(Toolchain, CompilerThatFailsSilentlyIsSaidToHave) {
  const Scratch scratch;
  const auto compiler = compiler_script(scratch, "exit 7");
  scratch.write("k.metal", kernel_text("C[0] = 7;"));
  const auto manifest = scratch.write("m.toml", manifest_of("k.metal", "k"));
  const auto result = in_environment(
      {{"ASSAY_COMPILER", compiler.string()}, {"ASSAY_CACHE_DIR", (scratch / "cache").string()}},
      {"verify", "--mode", "fast", "--manifest", manifest.string()});
  EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("the compiler ended with status 7 and no message"));
}

TEST(Toolchain, CompilationThatPassesTheTimeoutLeavesNothingRunning) {
  const Scratch scratch;
  const auto compiler =
      compiler_script(scratch, "[ -e \"$0.hangs\" ] && { sh -c 'while :; do :; done' & wait; }");
  scratch.write("k.metal", kernel_text("C[0] = 1;"));
  const auto manifest = scratch.write("m.toml", manifest_of("k.metal", "k"));
  const std::string cache = (scratch / "cache").string();
  // The headers are compiled once, which is none of the kernel's time.
  const auto usual = in_environment({{"ASSAY_COMPILER", compiler.string()}, {"ASSAY_CACHE_DIR", cache}},
                                    {"verify", "--mode", "fast", "--manifest", manifest.string()});
  EXPECT_EQ(usual.exit_code, 1) << usual.out << usual.err;
  scratch.write("compiler.hangs", "");
  scratch.write("k.metal", kernel_text("C[0] = 7;"));
  const auto result =
      in_environment({{"ASSAY_COMPILER", compiler.string()}, {"ASSAY_CACHE_DIR", cache}},
                     {"verify", "--mode", "fast", "--timeout", "3", "--manifest", manifest.string()});
  EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("compiling took more than 3 s"));
  const auto replayed = in_environment(
      {{"ASSAY_COMPILER", compiler.string()}, {"ASSAY_CACHE_DIR", cache}},
      {"replay",
       "kernel=k manifest=" + manifest.string() +
           " mode=fast operation=gemm_fp4 M=1 N=1 K=8 group_size=8 regime=constant knob.code=0 seed=0",
       "--timeout", "3"});
  EXPECT_EQ(replayed.exit_code, 2) << replayed.out << replayed.err;
  EXPECT_THAT(replayed.out + replayed.err, HasSubstr("compiling took more than 3 s"));
  EXPECT_TRUE(processes_with("ASSAY_CACHE_DIR=" + cache).empty());
  for (const auto& entry : fs::directory_iterator(cache)) {
    EXPECT_FALSE(entry.path().filename().string().starts_with("run-")) << entry.path();
  }
}

TEST(Cache, IsShownAndCleared) {
  const Scratch scratch;
  const std::string cache = (scratch / "cache").string();
  scratch.write("k.metal", kernel_text("C[0] = 7;"));
  const auto manifest = scratch.write("m.toml", manifest_of("k.metal", "k"));
  in_environment({{"ASSAY_CACHE_DIR", cache}}, {"verify", "--mode", "fast", "--manifest", manifest.string()});
  std::ofstream(cache + "/mine.txt") << "somebody's";
  const auto shown = in_environment({{"ASSAY_CACHE_DIR", cache}}, {"cache"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, testing::StartsWith(cache + "\n"));
  EXPECT_THAT(shown.out, testing::ContainsRegex("compiled kernels +[1-9]"));
  EXPECT_THAT(shown.out, testing::ContainsRegex("precompiled headers +[1-9]"));
  EXPECT_EQ(in_environment({{"ASSAY_CACHE_DIR", cache}}, {"cache", "clear"}).exit_code, 0);
  EXPECT_EQ(in_environment({{"ASSAY_CACHE_DIR", cache}}, {"cache"}).out, cache + "\n");
  EXPECT_TRUE(fs::exists(cache + "/mine.txt"));
}

}  // namespace
}  // namespace assay::end_to_end
