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
constexpr const char* kTurn =
    "kernel void turn(device float* y, uint t [[thread_position_in_threadgroup]],\n"
    "                 uint g [[threadgroup_position_in_grid]]) {\n"
    "  threadgroup float all[1024];\n  all[t] = float(t);\n"
    "  threadgroup_barrier(mem_flags::mem_none);\n"
    "  if (t < 64) y[g * 64 + t] = all[63 - t];\n}\n";
TEST_F(CheckGuess, AFaultWithEveryNumberOfThreadsIsAVerdict) {
  EXPECT_EQ(check(kTurn), 1) << words_;
  EXPECT_THAT(words_, HasSubstr("turn: RACE"));
}

// Its faults are told by their places, and its manifest is kept elsewhere.
TEST_F(CheckGuess, TheFileMayBeNamedFromAnyFolder) {
  fs::create_directory(scratch_ / "below");
  scratch_.write("k.metal", kHead + kTurn);
  const std::vector<std::pair<fs::path, std::string>> ways = {{scratch_.root(), "k.metal"},
                                                              {scratch_.root(), "./below/../k.metal"},
                                                              {scratch_ / "below", "../k.metal"}};
  for (const auto& [folder, file] : ways) {
    const auto result = metal::run_process(
        {kProgram.string(), "check", file, "--numerics", "strict", "--cases", "15"}, folder.string());
    EXPECT_EQ(result.exit_code, 1) << file << result.out << result.err;
    EXPECT_THAT(result.out, HasSubstr("turn: RACE"));
    std::smatch line;
    ASSERT_TRUE(std::regex_search(result.out, line, std::regex("assay replay '([^']*)'"))) << result.out;
    EXPECT_EQ(assay({"replay", line[1].str()}).exit_code, 1) << line[1];
  }
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

// With 4, which no branch asks for, the kernel would touch nothing.
TEST_F(CheckGuess, AConstantThatChoosesIsOneOfTheChoices) {
  const std::string text =
      "constant short what [[function_constant(2)]];\n"
      "kernel void apply(device const float* x, device float* y, constant uint& n,\n"
      "                  uint i [[thread_position_in_grid]]) {\n  if (i >= n) return;\n"
      "  if (what == 10) y[i] = 2 * x[i];\n  if (what == 11) y[i] = x[i + 1];\n}\n";
  EXPECT_EQ(check(text), 0) << words_;
  EXPECT_THAT(words_, HasSubstr("function constant 2 (short what) is 10; change it with --constant 2=VALUE"));
  EXPECT_EQ(check(text, {"--constant", "2=11", "--buffer", "x=float[n]"}), 1) << words_;
  EXPECT_EQ(check(text, {"--constant", "2=4"}), 2) << words_;
  EXPECT_THAT(words_, HasSubstr("apply: VACUOUS: nothing was checked of how threads share the work"));
  EXPECT_THAT(
      words_,
      HasSubstr("say the grid with --grid, such as --grid 64 x: the kernel did not touch it, so its shape "
                "is not known; say its shape with --buffer x=float[SIZES], such as 'x=float[1]' y: the "
                "kernel did not"));
  // No thread reads its place: only the buffers are in doubt.
  const std::string idle =
      "constant short what [[function_constant(2)]];\n"
      "kernel void apply(device const float* x, device float* y, uint g [[threadgroup_position_in_grid]]) {\n"
      "  const float one = x[g];\n  if (what == 10) y[g] = 2 * one;\n}\n";
  EXPECT_EQ(check(idle, {"--constant", "2=4"}), 2) << words_;
  EXPECT_THAT(words_, HasSubstr("x: the kernel did not touch it, so its shape is not known"));
}

const std::string kStrided =
    "kernel void strided(device const float* x, device float* y, constant uint& n, constant uint& stride,\n"
    "                    uint i [[thread_position_in_grid]]) {\n"
    "  if (i < n) y[i] = x[i * stride + (i & 1) * 8 * n];\n}\n";

TEST_F(CheckGuess, AFaultOfASizeThatWasNotFoundIsNoVerdict) {
  EXPECT_EQ(check(kStrided, {"--grid", "n"}), 2) << words_;
  EXPECT_THAT(words_, HasSubstr("x: Assay could not find how its size follows from the dimensions"));
  EXPECT_THAT(words_, HasSubstr("strided: COULD NOT BE JUDGED: a guess may be wrong, not the kernel x was "
                                "guessed to be float [n, stride]"));
  EXPECT_THAT(words_, HasSubstr("say the shape with --buffer 'x=float[n,stride*9]' (or x=float[SIZES])"));
  EXPECT_EQ(check(kStrided, {"--grid", "n", "--buffer", "x=float[n*stride+8*n]"}), 0) << words_;
  EXPECT_EQ(check(kStrided, {"--grid", "n", "--buffer", "x=float[n]"}), 1) << words_;
  EXPECT_THAT(words_, HasSubstr("strided: OUT OF BOUNDS"));
}

// It happens between its threads: no size is behind it. But their number is a guess until it is told: one
// simdgroup has no such race.
TEST_F(CheckGuess, ARaceInsideAThreadgroupIsAVerdictWhateverTheSizes) {
  const std::string text =
      "constant constexpr uint THREADS = 64;\n"
      "kernel void k(device const float* x, device float* y, constant uint& n, constant uint& stride,\n"
      "              uint g [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {\n"
      "  threadgroup float all[THREADS];\n  const uint i = g * THREADS + t;\n"
      "  all[t] = i < n ? x[i * stride + (i & 1) * n] : 0;\n  if (i < n) y[i] = all[63 - t];\n}\n";
  std::vector<std::string> told = {"--buffer", "y=float[n]", "--grid", "ceil(n/64)", "--buffer", "x=:in"};
  EXPECT_EQ(check(text, told), 2) << words_;
  EXPECT_THAT(words_, HasSubstr("with --threads 32 the first threadgroup has no such fault"));
  told.insert(told.end(), {"--threads", "64"});
  EXPECT_EQ(check(text, told), 1) << words_;
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

// A thread for each element touches two scales more rarely than half of them: the shorter grid explains
// everything as well, but leaves half of the work undone.
TEST_F(CheckGuess, AGridThatCoversAllWorkIsTakenAndAQuotientIsAShape) {
  EXPECT_EQ(check("kernel void scaled(device const float* x, device const float* scale, device float* y,\n"
                  "                   constant uint& n, constant uint& group,\n"
                  "                   uint i [[thread_position_in_grid]]) {\n"
                  "  if (i < n) y[i] = x[i] * scale[i / group];\n}\n",
                  {"--manifest-out", (scratch_ / "kept.toml").string()}),
            0)
      << words_;
  EXPECT_THAT(words_, HasSubstr("the grid is [n, 1, 1] threads"));
  EXPECT_THAT(read(scratch_ / "kept.toml"), HasSubstr("shape = [\"ceil(n / group)\"]"));
}

// Where blocks are longer than rows, each row has one scale. How many scales there are says which of the two
// dimensions the blocks divide.
TEST_F(CheckGuess, ADimensionIsDividedIntoBlocksThatAreLongerThanIt) {
  EXPECT_EQ(
      check("kernel void scaled(device const float* x, device const float* scale, device float* y,\n"
            "                   constant uint& rows, constant uint& cols, constant uint& block,\n"
            "                   uint2 at [[thread_position_in_grid]]) {\n"
            "  if (at.y >= rows || at.x >= cols) return;\n"
            "  const uint blocks = (cols + block - 1) / block;\n"
            "  y[at.y * cols + at.x] = x[at.y * cols + at.x] * scale[at.y * blocks + at.x / block];\n}\n",
            {"--manifest-out", (scratch_ / "kept.toml").string()}),
      0)
      << words_;
  EXPECT_THAT(read(scratch_ / "kept.toml"), HasSubstr("shape = [\"rows\", \"ceil(cols / block)\"]"));
}

// What threadgroups count grows with each of them, and is no work.
TEST_F(CheckGuess, AGridOfTicketsIsAsLongAsItsWork) {
  EXPECT_EQ(check("kernel void add(device const uint* x, device uint* y, device atomic_uint* ticket,\n"
                  "                device atomic_uint* sums, constant uint& n,\n"
                  "                uint t [[thread_index_in_threadgroup]]) {\n"
                  "  threadgroup uint part;\n"
                  "  if (t == 0) part = atomic_fetch_add_explicit(ticket, 1u, memory_order_relaxed);\n"
                  "  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
                  "  const uint i = part * 128 + t;\n"
                  "  if (i < n) y[i] = x[i] + 1;\n"
                  "  if (t == 0) atomic_store_explicit(&sums[part], 1u, memory_order_relaxed);\n}\n",
                  {"--manifest-out", (scratch_ / "kept.toml").string()}),
            0)
      << words_;
  EXPECT_THAT(words_, HasSubstr("the grid is [ceil(n / 128), 1, 1] threadgroups"));
  EXPECT_THAT(read(scratch_ / "kept.toml"),
              HasSubstr("name = \"sums\", type = \"uint\", shape = [\"ceil(n / 128)\"]"));
}

// With eight scalars there are thousands of grids. The kernel knows neither how many rows there are nor how
// many heads, and a head of k is shared by several of q.
TEST_F(CheckGuess, ManyScalarsAreToldApartInTime) {
  const std::string text =
      "struct Sizes { int queries; int keys; int heads; int shared; };\n"
      "kernel void scores(device const half* q, device const half* k, device half* out,\n"
      "                   constant Sizes& p, uint3 at [[threadgroup_position_in_grid]],\n"
      "                   uint lane [[thread_index_in_simdgroup]]) {\n"
      "  const int row = int(at.x), head = int(at.y);\n"
      "  float sum = 0;\n"
      "  for (int j = 0; j < p.keys; ++j)\n"
      "    sum += simd_sum(float(q[(head * p.queries + row) * 32 + lane]) *\n"
      "                    float(k[(head / p.shared * p.keys + j) * 32 + lane]));\n"
      "  out[(head * p.queries + row) * 32 + lane] = half(sum);\n}\n";
  EXPECT_EQ(check(text, {"--manifest-out", (scratch_ / "kept.toml").string()}), 0) << words_;
  EXPECT_THAT(words_, HasSubstr("the grid is [queries, heads, 1] threadgroups"));
  EXPECT_THAT(words_, Not(HasSubstr("no time to try all sizes")));
  EXPECT_THAT(read(scratch_ / "kept.toml"), HasSubstr("shape = [\"ceil(heads / shared)\", \"keys\", 32]"));
}

TEST_F(CheckGuess, ASizeThatMayAlwaysBeAMultipleIsNoVerdict) {
  const std::string text =
      "kernel void pairs(device float* x, constant uint& rows, constant uint& width,\n"
      "                  uint2 at [[thread_position_in_grid]], uint2 all [[threads_per_grid]]) {\n"
      "  if (at.y >= rows) return;\n"
      "  device float* p = x + at.y * width;\n"
      "  const float a = p[at.x], b = p[at.x + all.x];\n"
      "  p[at.x] = a - b;\n  p[at.x + all.x] = a + b;\n}\n";
  EXPECT_EQ(check(text), 2) << words_;
  EXPECT_THAT(words_, HasSubstr("pairs: COULD NOT BE JUDGED"));
  EXPECT_THAT(words_, HasSubstr("if it is always a multiple of 2, say --dim width=2:128:2"));
  EXPECT_EQ(check(text, {"--dim", "width=2:128:2"}), 0) << words_;
}

// Row by row in one thread: halves of an odd row overlap, and threads of one simdgroup meet there.
TEST_F(CheckGuess, ARaceInABufferOfASizeThatMayAlwaysBeAMultipleIsNoVerdict) {
  const std::string text =
      "kernel void turned(device float* x, constant uint& rows, constant uint& width,\n"
      "                   uint i [[thread_position_in_grid]]) {\n"
      "  device float* p = x + i;\n"
      "  for (uint row = 0; row < rows; ++row, p += width) {\n"
      "    const float a = p[0], b = p[width / 2];\n    p[0] = a - b;\n    p[width / 2] = a + b;\n  }\n}\n";
  EXPECT_EQ(check(text), 2) << words_;
  EXPECT_THAT(words_, HasSubstr("turned: RACE"));
  EXPECT_THAT(words_, HasSubstr("if it is always a multiple of 2, say --dim width=2:128:2"));
  EXPECT_EQ(check(text, {"--dim", "width=2:128:2"}), 0) << words_;
}

}  // namespace
}  // namespace assay::end_to_end
