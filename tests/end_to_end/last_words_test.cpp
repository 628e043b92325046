// Ctrl-C: a run ends at once, says what was done so far, and leaves no process and no half-written file.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

// A run that is still at work, and its end.
class Interrupted : public testing::Test {
 protected:
  Interrupted() { clear_environment(); }

  void start(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), kProgram.string());
    std::vector<char*> raw;
    for (auto& one : arguments) raw.push_back(one.data());
    raw.push_back(nullptr);
    pid_ = fork();
    if (pid_ != 0) return;
    setenv(mark().c_str(), "1", 1);
    if (chdir(scratch_.root().c_str()) != 0) _exit(127);
    const int out = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const int err = open("err", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execv(raw[0], raw.data());
    _exit(127);
  }

  // Once that holds, or after a minute.
  static void wait_until(const std::function<bool()>& holds) {
    for (int i = 0; i < 1200 && !holds(); ++i) std::this_thread::sleep_for(50ms);
  }
  void wait_for(const std::string& words) const {
    wait_until([&] { return out().find(words) != std::string::npos; });
  }

  // Whether a process of it has installed a handler: before that, the signal ends it without a word.
  bool catches(int number) const {
    const auto all = processes_with(mark());
    return std::any_of(all.begin(), all.end(), [&](pid_t pid) {
      const std::string status = read(fmt::format("/proc/{}/status", pid));
      const auto at = status.find("SigCgt:\t");
      return at != std::string::npos &&
             (std::stoull(status.substr(at + 8, 16), nullptr, 16) >> (number - 1) & 1);
    });
  }

  // Ends it, and looks at what must hold of every end.
  void interrupt(int number) {
    const auto begun = std::chrono::steady_clock::now();
    kill(pid_, number);
    int status = 0;
    ASSERT_EQ(waitpid(pid_, &status, 0), pid_);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    RecordProperty("seconds", std::to_string(took.count()));
    EXPECT_LT(took.count(), 3) << "it should be under one second; this machine may be busy";
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == number) << status << out() << err();
    EXPECT_THAT(processes_with(mark()), IsEmpty());
    for (const auto& entry : fs::recursive_directory_iterator(scratch_.root()))
      EXPECT_FALSE(entry.path().string().ends_with(".assay-part")) << entry.path();
  }

  std::string mark() const { return "ASSAY_TEST_INTERRUPT_" + scratch_.root().filename().string(); }
  std::string out() const { return read(scratch_ / "out"); }
  std::string err() const { return read(scratch_ / "err"); }
  static std::string manifest() { return kSource / "kernels/kernels.toml"; }

  Scratch scratch_;
  pid_t pid_ = 0;
};

// Varied: the signal. No kernel can end its cases.
TEST_F(Interrupted, VerifySaysHowManyKernelsAndCasesAreDone) {
  for (const int number : {SIGINT, SIGTERM}) {
    start({"verify", "--manifest", manifest(), "dequant_u4", "dequant_fp4", "--cases", "100000", "--mode",
           "checked", "--numerics", "strict", "--json", "r.json", "--jobs", "2"});
    std::this_thread::sleep_for(3s);
    interrupt(number);
    EXPECT_THAT(err(),
                ContainsRegex("^assay: interrupted: 0 of 2 kernels passed, 0 were rejected, 2 were not "
                              "finished; [0-9,]+ cases in [0-9]+ s; no report was written\n$"));
    EXPECT_FALSE(fs::exists(scratch_ / "r.json"));
  }
}

// The kernel before it never ends, so that the table has no row of it.
TEST_F(Interrupted, VerifyTellsOfAFailureThatItHasFound) {
  scratch_.write("endless.metal", kernel_text("while (A[0] == A[0]) C[0] = 1;"));
  scratch_.write("wrong.metal", kernel_text("if (i == 0) C[0] = 7;"));
  std::string wrong = manifest_of("wrong.metal", "k");
  wrong.replace(wrong.find("\"k\""), 3, "\"wrong\"\nfunction = \"k\"");
  scratch_.write("m.toml", manifest_of("endless.metal", "k") + wrong);
  start({"verify", "--manifest", "m.toml", "--verbose", "--mode", "fast", "--numerics", "strict", "--jobs",
         "2"});
  wait_for("wrong fast: wrong result");
  interrupt(SIGINT);
  EXPECT_THAT(out(), HasSubstr("\nwrong: WRONG RESULT\n"));
  EXPECT_THAT(out(), HasSubstr("assay replay"));
  EXPECT_THAT(err(), HasSubstr("0 of 2 kernels passed, 1 was rejected, 1 was not finished; "));
}

TEST_F(Interrupted, MutateKeepsWhatIsJudged) {
  start({"mutate", "--manifest", manifest(), "marlin_gemm_fp4", "--report", "m.json"});
  std::this_thread::sleep_for(4s);
  interrupt(SIGINT);
  EXPECT_THAT(err(), HasSubstr("assay: interrupted: 0 of 1 kernels are done, "));
  EXPECT_THAT(err(), HasSubstr("run the same command again to go on from there"));
}

TEST_F(Interrupted, GoldenMakeLeavesWholeFilesAlone) {
  start({"golden", "make", "--operation", "gemm_fp4", "--shape", "M=512,N=2048,K=2048", "--cases", "400",
         "--out", "sets"});
  wait_until([&] {  // one file is whole
    std::error_code absent;
    fs::directory_iterator files(scratch_ / "sets", absent);
    return std::any_of(begin(files), end(files),
                       [](const auto& file) { return file.path().extension() == ".safetensors"; });
  });
  interrupt(SIGINT);
  EXPECT_THAT(err(), ContainsRegex("assay: interrupted: [0-9]+ of 400 files are whole in sets; run the same "
                                   "command again to make the others, and the index"));
}

// Whatever number of kernels there is.
TEST_F(Interrupted, ProfileSaysHowManyWereCounted) {
  start({"profile", "--manifest", manifest(), "-v"});
  wait_for(": counted in ");
  interrupt(SIGINT);
  EXPECT_THAT(err(), ContainsRegex("^assay: interrupted: [0-9]+ of [0-9]+ kernels were counted\n$"));
  EXPECT_THAT(out(), HasSubstr("threadgroup_bytes")) << "the kernels that were counted";
}

// The one file takes long to solve.
TEST_F(Interrupted, BeforeAnythingIsFinishedSaysSo) {
  ASSERT_EQ(assay({"golden", "make", "--operation", "gemm_fp4", "--shape", "M=512,N=2048,K=2048", "--cases",
                   "1", "--out", (scratch_ / "set").string()})
                .exit_code,
            0);
  start({"golden", "check", "set", "--all", "--jobs", "1"});
  wait_until([&] { return catches(SIGINT); });
  std::this_thread::sleep_for(50ms);
  interrupt(SIGINT);
  EXPECT_THAT(err(), ContainsRegex("^assay: interrupted(: (0 of 1 files were checked|no file was "
                                   "checked))?\n$"));
}

// Ctrl-C was taken for a fault of one kernel, and the next was drafted.
TEST_F(Interrupted, InitWritesNothing) {
  std::string text = "#include <metal_stdlib>\nusing namespace metal;\n";
  for (int i = 0; i < 40; ++i) {
    text += fmt::format(
        "kernel void k{}(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],\n"
        "    constant uint& n [[buffer(2)]], uint i [[thread_position_in_grid]]) {{ if (i < n) y[i] = {} * "
        "x[i]; }}\n",
        i, i + 2);
  }
  scratch_.write("many.metal", text);
  start({"init", "many.metal"});
  wait_for("k0: ");
  interrupt(SIGINT);
  EXPECT_THAT(err(), ContainsRegex("^assay: interrupted: [0-9]+ of 40 kernels were drafted; nothing was "
                                   "written\n$"));
  EXPECT_FALSE(fs::exists(scratch_ / "many.toml"));
}

TEST_F(Interrupted, WatchSaysHowOftenItVerified) {
  scratch_.write("k.metal", kernel_text("if (i == 0) C[0] = 7;"));
  scratch_.write("m.toml", manifest_of("k.metal", "k"));
  start({"watch", "--manifest", "m.toml", "--mode", "fast", "--numerics", "strict"});
  wait_for("watching 2 files; Ctrl-C ends");
  interrupt(SIGINT);
  EXPECT_EQ(err(), "assay: interrupted: verified once\n");
}

}  // namespace
}  // namespace assay::end_to_end
