// How much a command says: quiet, verbose, on a terminal with progress and colours, and without.
#include <gmock/gmock.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string kOurKernels = kSource / "kernels/kernels.toml";

// What a person sees on a terminal, who presses Ctrl-C at these words, if there are any.
std::string on_terminal(std::vector<std::string> arguments, const char* no_color = nullptr,
                        const std::string& until = {}) {
  clear_environment();
  arguments.insert(arguments.begin(), kProgram.string());
  std::vector<char*> raw;
  for (auto& one : arguments) raw.push_back(one.data());
  raw.push_back(nullptr);
  int terminal = -1;
  winsize size{.ws_row = 40, .ws_col = 160, .ws_xpixel = 0, .ws_ypixel = 0};
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, &size);
  if (pid == 0) {
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    if (no_color != nullptr) setenv("NO_COLOR", no_color, 1);
    execv(raw[0], raw.data());
    _exit(127);
  }
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t n = 0; (n = ::read(terminal, buffer.data(), buffer.size())) > 0;) {
    const bool before = text.find(until) != text.npos;  // and also where there are none
    text.append(buffer.data(), static_cast<std::size_t>(n));
    if (!before && text.find(until) != text.npos) kill(pid, SIGINT);
  }
  waitpid(pid, nullptr, 0);
  close(terminal);
  return text;
}

std::vector<std::string> verify_u4(std::vector<std::string> more, const char* cases = "40") {
  std::vector<std::string> all = {"verify", "--manifest", kOurKernels, "dequant_u4", "--mode",
                                  "fast",   "--numerics", "strict",    "--cases",    cases};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(QuietVerify, SaysTheVerdictAlone) {
  EXPECT_EQ(assay(verify_u4({"-q"})).out, "1 of 1 kernels pass (40 drawn cases a mode, and planned ones; seed 1)\n");
}

TEST(QuietVerify, ShowsFailuresInFull) {
  const Scratch scratch;
  scratch.write("k.metal", kernel_text("if (i == 0) C[0] = 7;"));
  const auto manifest = scratch.write("m.toml", manifest_of("k.metal", "k"));
  const auto result =
      assay({"verify", "--manifest", manifest, "--mode", "fast", "--numerics", "strict", "-q"});
  EXPECT_THAT(result.out, AllOf(StartsWith("k: WRONG RESULT\n"), HasSubstr("0 of 1 kernels pass")));
  EXPECT_THAT(result.out, Not(HasSubstr("seconds")));
}

TEST(VerboseVerify, SaysWhatWasCompiledAndHowFastCasesWere) {
  const Scratch scratch;
  scratch.write("k.metal", "// " + scratch.root().string() + "\n" + kernel_text("if (i == 0) C[0] = 7 * M;"));
  const auto manifest = scratch.write("m.toml", manifest_of("k.metal", "k"));
  const std::vector<std::string> run = {"verify", "--manifest", manifest, "--mode",  "fast",
                                        "-v",     "--numerics", "strict", "--cases", "3"};
  const auto first = assay(run).out, second = assay(run).out;
  EXPECT_THAT(first, ContainsRegex("k fast: wrong result, [0-9]+ cases? in [0-9.]+ s, [0-9.,]+ a second; "
                                   "(compiled|loaded from the cache) in [0-9.]+ s\n"));
  EXPECT_THAT(second, HasSubstr("loaded from the cache in "));
}

TEST(Terminal, ShowsProgressAndTakesItBack) {
  const std::string text = on_terminal(verify_u4({}, "2000"));
  EXPECT_THAT(text, ContainsRegex("[0-9]+ of 1 runs done, [0-9,]+ cases, [0-9,.]+ a second"));
  EXPECT_THAT(text,
              ContainsRegex("\r\033\\[K[^\r]*about [0-9]+ s left: dequant_u4 fast, case [0-9,]+ of 2,"));
  const auto row = text.find("dequant_u4  ");
  ASSERT_NE(row, std::string::npos) << text;
  EXPECT_EQ(text.substr(row - 4, 4), "\r\033[K") << "the progress line is gone before the row";
}

// They stood behind the progress line.
TEST(Terminal, TakesProgressBackBeforeTheLastWords) {
  const std::string text = on_terminal({"mutate", "--manifest", kOurKernels, "marlin_gemm_fp4", "--fresh"},
                                       nullptr, "0 of 1 kernels done, ");
  const auto words = text.find("assay: interrupted: 0 of 1 kernels are done");
  ASSERT_NE(words, std::string::npos) << text;
  EXPECT_EQ(text.substr(words - 4, 4), "\r\033[K") << text;
}

TEST(Terminal, HasColours) {
  const std::string text = on_terminal(verify_u4({}));
  EXPECT_THAT(text, HasSubstr("\033[32mpass\033[0m"));
  EXPECT_THAT(text, HasSubstr("\033[32m1 of 1 kernels pass (40 drawn cases a mode, and planned ones; seed 1)\033[0m"));
}

// Varied: who asks for none: $NO_COLOR holds any text that is not empty.
TEST(Terminal, HasNoColoursWhereNobodyWantsThem) {
  EXPECT_THAT(on_terminal(verify_u4({}), "1"), AllOf(HasSubstr("pass"), Not(HasSubstr("\033[3"))));
  EXPECT_THAT(on_terminal(verify_u4({}), ""), HasSubstr("\033[32m"));
  EXPECT_THAT(assay(verify_u4({})).out, Not(HasSubstr("\033")));
}

TEST(Terminal, IsQuietWhereItIsAskedToBe) {
  EXPECT_EQ(on_terminal(verify_u4({"--quiet"}), "1"), "1 of 1 kernels pass (40 drawn cases a mode, and planned ones; seed 1)\r\n");
}

// Varied: commands with a progress line of their own.
TEST(Terminal, EveryLongCommandShowsItsRateAndTheTimeLeft) {
  const Scratch scratch;
  EXPECT_THAT(on_terminal({"profile", "--manifest", kOurKernels, "dequant_u4", "dequant_fp4", "dequant_s4"}),
              ContainsRegex("[0-9]+ of 3 kernels counted, [0-9.]+ a second(, about [0-9]+ s left)?: "));
  EXPECT_THAT(on_terminal({"mutate", "--manifest", kOurKernels, "dequant_u4", "--sample", "4", "--fresh"}),
              ContainsRegex("0 of 1 kernels done, [0-9] mutants judged, [0-9.]+ a second"));
  EXPECT_THAT(on_terminal({"fuzz", "--manifest", kOurKernels, "dequant_u4", "--time", "3s", "--findings",
                           (scratch / "f").string()}),
              ContainsRegex("[0-9,]+ cases, [0-9,.]+ a second, about [0-9]+ s left, in round "));
  EXPECT_THAT(on_terminal({"golden", "make", "--operation", "gemm_fp4", "--cases", "16", "--shape",
                           "M=64,N=1024,K=1024", "--out", (scratch / "s").string()}),
              ContainsRegex("[0-9]+ of 16 files, [0-9]+ %, [0-9]+ MB a second"));
  EXPECT_THAT(on_terminal({"golden", "check", (kSource / "golden/sets").string()}),
              ContainsRegex("[0-9]+ of [0-9]+ files, [0-9.]+ a second"));
}

// Rows stood there without their header.
TEST(QuietMutate, SaysTheScoresUnderTheirHeader) {
  const Scratch scratch;
  const auto json = (scratch / "m.json").string();
  const std::string header =
      "kernel      mutants  compiled  killed  equivalent  explained  survived  seconds\n";
  const auto one =
      assay({"mutate", "--manifest", kOurKernels, "dequant_u4", "--sample", "2", "-q", "--json", json});
  EXPECT_THAT(one.out, ContainsRegex("^" + header + "dequant_u4 .*\n\nhow many of the "));
  EXPECT_THAT(assay({"merge", json, "-q"}).out,
              ContainsRegex("^" + header + "dequant_u4 .*\n\nhow many of the "));
}

TEST(QuietCommands, SayNothingWhereAllIsWell) {
  const Scratch scratch;
  EXPECT_THAT(assay({"golden", "make", "--operation", "gemm_fp4", "--cases", "1", "-q", "--out",
                     (scratch / "s").string()})
                  .out,
              IsEmpty());
  EXPECT_THAT(assay({"golden", "check", (scratch / "s").string(), "-q"}).out, IsEmpty());
  EXPECT_THAT(assay({"init", "--out", (scratch / "first").string(), "-q"}).out, IsEmpty());
  EXPECT_THAT(assay({"profile", "--manifest", kOurKernels, "dequant_u4", "-q"}).out,
              "1 of 1 kernels do what they claim\n");
  EXPECT_THAT(assay({"replay", "-q",
                     "kernel=dequant_fp4 manifest=" + kOurKernels +
                         " mode=checked operation=dequantize_fp4 K=9 N=3 group_size=8 regime=random seed=7"})
                  .out,
              IsEmpty());
}

}  // namespace
}  // namespace assay::end_to_end
