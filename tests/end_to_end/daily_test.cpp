// What people use all day: kernels that are verified on save, and completion on their command lines.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <functional>
#include <thread>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kKernel =
    "#include <metal_stdlib>\nusing namespace metal;\n"
    "kernel void twice(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],\n"
    "                  constant uint& N [[buffer(2)]], uint i [[thread_position_in_grid]]) {\n"
    "  if (i < N) y[i] = 2 * x[i];\n}\n";
constexpr const char* kManifest =
    "[[kernel]]\nname = \"twice\"\nsource = \"twice.metal\"\narguments = [\"x\", \"y\", \"N\"]\n"
    "threads_per_threadgroup = 32\ngrid = [\"ceil(N/32)\", 1, 1]\n"
    "dimensions = [{ name = \"N\", largest = 100 }]\ntensors = [\n"
    "  { name = \"x\", type = \"float\", shape = [\"N\"] },\n"
    "  { name = \"y\", type = \"float\", shape = [\"N\"], access = \"out\" },\n]\n";

bool comes(const fs::path& file, const std::string& words) {
  using namespace std::chrono_literals;
  for (int i = 0; i < 600; ++i) {
    if (read(file).find(words) != std::string::npos) return true;
    std::this_thread::sleep_for(100ms);
  }
  return false;
}

// Varied: a change that breaks the kernel, and the end by Ctrl-C, after which nothing runs on.
TEST(Watch, VerifiesAgainOnSaveAndEndsWithAllThatItStarted) {
  clear_environment();
  const Scratch scratch;
  const auto manifest = scratch.write("m.toml", kManifest);
  const auto kernel = scratch.write("twice.metal", kKernel);
  const auto out = scratch / "out.txt";
  const std::string mark = "ASSAY_TEST_WATCH_" + std::to_string(getpid());
  const pid_t pid = fork();
  if (pid == 0) {
    setenv(mark.c_str(), "1", 1);
    if (freopen(out.c_str(), "w", stdout) == nullptr) _exit(9);
    execl(kProgram.c_str(), "assay", "watch", "--manifest", manifest.c_str(), "--cases", "5", "--mode",
          "checked", nullptr);
    _exit(9);
  }
  EXPECT_TRUE(comes(out, "Ctrl-C ends")) << read(out);
  EXPECT_THAT(read(out), HasSubstr("1 of 1 kernels pass"));
  std::string broken = kKernel;
  broken.replace(broken.find("i < N"), 5, "i <= N");
  scratch.write("twice.metal", broken);
  EXPECT_TRUE(comes(out, "OUT OF BOUNDS")) << read(out);
  EXPECT_THAT(read(out), HasSubstr("twice.metal has changed"));
  kill(pid, SIGINT);
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
  EXPECT_TRUE(processes_with(mark).empty());
}

std::vector<std::string> completed(const std::vector<std::string>& words) {
  const Scratch scratch;
  const auto script = scratch.write("complete.sh", assay({"completion", "bash"}).out);
  std::string line = "source " + script.string() + "; COMP_WORDS=(";
  for (const auto& word : words) line += "'" + word + "' ";
  line += fmt::format("); COMP_CWORD={}; _assay; printf '%s\\n' \"${{COMPREPLY[@]}}\"", words.size() - 1);
  std::istringstream out(metal::run_process({"bash", "-uc", line}).out);
  std::vector<std::string> found;
  for (std::string one; std::getline(out, one);) found.push_back(one);
  return found;
}

TEST(Completion, KnowsCommandsOptionsValuesAndKernels) {
  using testing::Contains;
  using testing::ElementsAre;
  const std::string program = kProgram.string();
  EXPECT_THAT(completed({program, "ver"}), ElementsAre("verify"));
  EXPECT_THAT(completed({program, "golden", ""}),
              testing::UnorderedElementsAre("make", "check", "show", "--help"));
  EXPECT_THAT(completed({program, "verify", "--num"}), ElementsAre("--numerics"));
  EXPECT_THAT(completed({program, "verify", "--mode", ""}),
              testing::UnorderedElementsAre("fast", "checked", "both"));
  const std::string manifest = kSource / "examples/gallery/kernels.toml";
  const auto kernels = completed({program, "verify", "--manifest", manifest, "soft"});
  EXPECT_THAT(kernels, testing::UnorderedElementsAre("softmax_two_pass", "softmax_online"));
  EXPECT_THAT(completed({program, "list", "x"}), Not(Contains("softmax_online")));
}

TEST(Completion, RefusesShellsThatItDoesNotKnow) {
  const auto result = assay({"completion", "fish"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("fish"));
  EXPECT_THAT(assay({"completion", "zsh"}).out, HasSubstr("bashcompinit"));
}

}  // namespace
}  // namespace assay::end_to_end
