// `assay check` without options: what hangs on its own guesses is no verdict.
#include <gmock/gmock.h>

#include <regex>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::HasSubstr;
using testing::Not;

class CheckGuess : public testing::Test {
 protected:
  int check(const std::string& text, const std::vector<std::string>& more = {}) {
    const auto file = scratch_.write("k.metal", "#include <metal_stdlib>\nusing namespace metal;\n" + text);
    std::vector<std::string> arguments = {"check", file.string(), "--numerics", "strict", "--cases", "15"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = assay(arguments);
    words_ = std::regex_replace(result.out + result.err, std::regex("\\s+"), " ");
    return result.exit_code;
  }

  Scratch scratch_;
  std::string words_;
};

// Nobody says how many threads there are; with 128, two of them write one element.
TEST_F(CheckGuess, ThreadsThatDoNotRunIntoEachOtherAreTaken) {
  EXPECT_EQ(check("kernel void fold(device const float* x, device float* y,\n"
                  "                 uint t [[thread_position_in_threadgroup]],\n"
                  "                 uint g [[threadgroup_position_in_grid]]) {\n"
                  "  threadgroup float all[300];\n  all[t] = x[g];\n"
                  "  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
                  "  if (t == 0) y[g] = all[255];\n}\n"),
            0)
      << words_;
  EXPECT_THAT(words_, HasSubstr("256 threads in a threadgroup, because the kernel faults with 128 (a read of "
                                "`all` at byte 1,020, which nobody has written)"));
}

// The fault is there with any number of threads, so it is the kernel's.
TEST_F(CheckGuess, AFaultWithEveryNumberOfThreadsIsAVerdict) {
  EXPECT_EQ(check("kernel void turn(device float* y, uint t [[thread_position_in_threadgroup]],\n"
                  "                 uint g [[threadgroup_position_in_grid]]) {\n"
                  "  threadgroup float all[1024];\n  all[t] = float(t);\n"
                  "  threadgroup_barrier(mem_flags::mem_none);\n"
                  "  if (t < 64) y[g * 64 + t] = all[63 - t];\n}\n"),
            1)
      << words_;
  EXPECT_THAT(words_, HasSubstr("turn: RACE"));
}

// What runs without a value for its constants is judged; what fails with those that Assay takes is not.
const std::string kConstants =
    "constant bool twice [[function_constant(0)]];\nconstant uint rows [[function_constant(7)]];\n"
    "kernel void scaled(device const float* x, device float* y, constant uint& n,\n"
    "                   uint i [[thread_position_in_grid]]) {\n"
    "  threadgroup float row[rows];\n  if (i >= n) return;\n"
    "  y[i] = twice ? 2 * x[i] : x[i];\n";

TEST_F(CheckGuess, FunctionConstantsHaveTheUsualValues) {
  EXPECT_EQ(check(kConstants + "}\n"), 0) << words_;
  EXPECT_THAT(words_,
              HasSubstr("function constant 0 (bool twice) is true; change it with --constant 0=VALUE"));
  EXPECT_EQ(check(kConstants + "  if (rows < 8) y[n + 70000] = 1;\n}\n"), 2) << words_;
  EXPECT_THAT(words_,
              HasSubstr("COULD NOT BE JUDGED: a guess may be wrong, not the kernel function constant 0"));
  EXPECT_THAT(words_, HasSubstr("function constant 7 (uint rows) is 4"));
  EXPECT_EQ(check(kConstants + "  if (rows < 8) y[n + 70000] = 1;\n}\n",
                  {"--constant", "0=false", "--constant", "7=8"}),
            0)
      << words_;
}

const std::string kStrided =
    "kernel void strided(device const float* x, device float* y, constant uint& n, constant uint& stride,\n"
    "                    uint i [[thread_position_in_grid]]) {\n"
    "  if (i < n) y[i] = x[i * stride + (i & 1) * 8 * n];\n}\n";

TEST_F(CheckGuess, AFaultOfASizeThatWasNotFoundIsNoVerdict) {
  EXPECT_EQ(check(kStrided, {"--grid", "n"}), 2) << words_;
  EXPECT_THAT(words_, HasSubstr("strided: COULD NOT BE JUDGED: a guess may be wrong, not the kernel x: Assay "
                                "could not find how its size follows from the dimensions; say its shape with "
                                "--buffer x=float[SIZES]"));
  EXPECT_EQ(check(kStrided, {"--grid", "n", "--buffer", "x=float[n*stride+8*n]"}), 0) << words_;
  EXPECT_EQ(check(kStrided, {"--grid", "n", "--buffer", "x=float[n]"}), 1) << words_;
  EXPECT_THAT(words_, HasSubstr("strided: OUT OF BOUNDS"));
}

// Its threads are told, and it happens between them: no size is behind it.
TEST_F(CheckGuess, ARaceInsideAThreadgroupIsAVerdictWhateverTheSizes) {
  EXPECT_EQ(
      check(
          "constant constexpr uint THREADS = 64;\n"
          "kernel void k(device const float* x, device float* y, constant uint& n, constant uint& stride,\n"
          "              uint g [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {\n"
          "  threadgroup float all[THREADS];\n  const uint i = g * THREADS + t;\n"
          "  all[t] = i < n ? x[i * stride + (i & 1) * n] : 0;\n  if (i < n) y[i] = all[63 - t];\n}\n",
          {"--buffer", "y=float[n]", "--grid", "ceil(n/64)", "--buffer", "x=:in"}),
      1)
      << words_;
  EXPECT_THAT(words_, HasSubstr("k: RACE"));
}

const std::string kScatter =
    "kernel void scatter(device const float* x, device const uint* to, device float* y, constant uint& n,\n"
    "                    uint i [[thread_position_in_grid]]) {\n  if (i < n) y[to[i]] = x[i];\n}\n";

TEST_F(CheckGuess, AFaultOfIndicesThatAreZerosIsNoVerdict) {
  EXPECT_EQ(check(kScatter, {"--buffer", "y=float[n]:inout"}), 2) << words_;
  EXPECT_THAT(words_, HasSubstr("COULD NOT BE JUDGED"));
  EXPECT_THAT(words_, HasSubstr("to is filled with zeros"));
  EXPECT_EQ(check(kScatter, {"--buffer", "y=float[n]:inout", "--buffer", "to=:below=n"}), 1) << words_;
  EXPECT_THAT(words_, HasSubstr("scatter: RACE"));
  EXPECT_THAT(words_, Not(HasSubstr("filled with zeros")));
}

TEST_F(CheckGuess, APassOfAGridOfOneIsVacuous) {
  const std::string text =
      "kernel void first(device const float* x, device float* y, uint i [[thread_position_in_grid]]) {\n"
      "  if (i == 0) y[0] = x[0];\n}\n";
  EXPECT_EQ(check(text), 2) << words_;
  EXPECT_THAT(words_, HasSubstr("first: VACUOUS: nothing was checked of how threads share the work"));
  EXPECT_THAT(words_, HasSubstr("say the grid with --grid"));
  EXPECT_EQ(check(text, {"--grid", "N"}), 0) << words_;
}

// With one thread nothing is shared, and no race would be seen.
TEST_F(CheckGuess, AKernelThatSharesItsWorkIsGivenSomeToShareItWith) {
  const std::string text =
      "kernel void all(device const float* x, device float* y, constant uint& n,\n"
      "                uint i [[thread_position_in_grid]], uint threads [[threads_per_grid]]) {\n"
      "  for (uint j = i; j < n; j += threads) y[j] = x[j];\n}\n";
  EXPECT_EQ(check(text), 0) << words_;
  EXPECT_THAT(words_, HasSubstr("the grid is [N, 1, 1] threads"));
  EXPECT_EQ(check(std::regex_replace(text, std::regex("j < n"), "j < n + 0 * threads && j <= n")), 0);
  EXPECT_EQ(check(std::regex_replace(text, std::regex("y\\[j\\] = "), "y[j / 2] = ")), 1) << words_;
}

TEST_F(CheckGuess, ATileThatTheTextNamesIsASideOfTheGrid) {
  EXPECT_EQ(
      check(
          "constexpr constant ushort kTile = 12;\n"
          "kernel void k(device const float* x, device float* y, constant uint& n,\n"
          "              uint g [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {\n"
          "  if (t < kTile && g * kTile + t < n) y[g * kTile + t] = x[g * kTile + t];\n}\n"),
      0)
      << words_;
  EXPECT_THAT(words_, HasSubstr("the grid is [ceil(n / 12), 1, 1] threadgroups"));
}

TEST_F(CheckGuess, ADimensionThatABufferTakesTheNameOfIsNamed) {
  EXPECT_EQ(
      check("kernel void k(device const float* M, device float* y, constant uint& n,\n"
            "              uint g [[threadgroup_position_in_grid]], uint t [[thread_index_in_simdgroup]]) {\n"
            "  if (t == 0) y[g] = M[g];\n}\n",
            {"--dim", "M=1:3"}),
      2);
  EXPECT_THAT(words_, HasSubstr("--dim M: M is a buffer; --buffer says what it is; the free dimension of the "
                                "grid is called M2 here"));
}

}  // namespace
}  // namespace assay::end_to_end
