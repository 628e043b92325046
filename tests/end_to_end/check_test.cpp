// `assay check` and `assay init`: a kernel of which nobody has written a manifest.
#include "tests/end_to_end/check.hpp"
#include "tests/signals_at_once.hpp"

namespace assay::end_to_end {
namespace {

TEST_F(Check, ARightKernelPassesWithNothingSaid) {
  EXPECT_EQ(check(kRowSum).exit_code, 0) << words_;
  EXPECT_THAT(words_, HasSubstr("the grid is [M, 1, 1] threadgroups"));
  EXPECT_THAT(words_, HasSubstr("no reference"));
}

TEST_F(Check, ARaceIsFoundAndReplayedFromItsLine) {
  const auto result = check(
      with(kRowSum, "part[t + d];\n    threadgroup_barrier(mem_flags::mem_threadgroup);", "part[t + d];"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(words_, HasSubstr("row_sum: RACE"));
  std::smatch line;
  ASSERT_TRUE(std::regex_search(result.out, line, std::regex("assay replay '([^']*)'"))) << result.out;
  const auto again = told(assay({"replay", line[1].str()}));
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(words_, HasSubstr("row_sum: RACE"));
}

// One bit pattern of 65,536 is what fresh memory holds: with so many blocks, cases have it among their
// scales.
TEST_F(Check, ScalesThatAreCopiedOutOfBlocksWereWritten) {
  const std::string text =
      "struct Block { union { struct { half low, high; }; half2 both; }; uchar codes[16]; };\n"
      "kernel void scales(device const Block* blocks, device half* y, uint i [[thread_position_in_grid]]) {\n"
      "  Block block;\n  block = blocks[i];\n  y[i] = block.low;\n}\n";
  EXPECT_EQ(check(text, {"--cases", "200"}).exit_code, 0) << words_;
}

// One too many is no shape that anybody means: it is not taken for one. But nobody has told how long x is.
TEST_F(Check, OneElementTooManyIsAskedAboutAndAVerdictWhereTheShapeIsTold) {
  const auto text = with(kRowSum, "i < N", "i <= N");
  EXPECT_EQ(check(text).exit_code, 2);
  EXPECT_THAT(words_,
              HasSubstr("COULD NOT BE JUDGED: a guess may be wrong, not the kernel x was guessed to be "
                        "half [M, N]"));
  EXPECT_THAT(words_, HasSubstr("--buffer 'x=half[M*N+1]'"));
  EXPECT_EQ(check(text, {"--buffer", "x=half[M,N]", "--grid", "M", "--dim", "M=1:60", "--dim", "N=1:500",
                         "--threads", "64"})
                .exit_code,
            1)
      << words_;
  EXPECT_THAT(words_, HasSubstr("row_sum: OUT OF BOUNDS"));
}

TEST_F(Check, ABufferThatIsToldTooSmallSaysSo) {
  EXPECT_EQ(check(kRowSum, {"--buffer", "x=half[N]", "--grid", "M", "--threads", "64"}).exit_code, 1)
      << words_;
  EXPECT_THAT(words_, HasSubstr("x was said to be half [N], which has "));
  EXPECT_THAT(words_, HasSubstr("the kernel reads element "));
}

// A kernel that forgets the end of its rows: the sizes that are measured are multiples of its tile, those of
// cases are not.
TEST_F(Check, AMissingGuardIsNotMeasuredAway) {
  const std::string copy =
      "kernel void copy(device const float* x, device float* y, constant uint& N, uint i "
      "[[thread_position_in_grid]]) {\n"
      "  if (i < N) y[i] = x[i];\n}\n";
  EXPECT_EQ(check(copy).exit_code, 0) << words_;
  EXPECT_THAT(words_, HasSubstr("the grid is [N, 1, 1] threads"));
  EXPECT_EQ(check(with(copy, "if (i < N) ", ""), {"--grid", "ceil(N/64)*64"}).exit_code, 2);
  EXPECT_EQ(check(with(copy, "if (i < N) ", ""), {"--grid", "ceil(N/64)*64", "--dim", "N=1:500", "--buffer",
                                                  "x=float[N]", "--buffer", "y=float[N]"})
                .exit_code,
            1);
  EXPECT_THAT(words_, HasSubstr("OUT OF BOUNDS"));
}

struct Grid {
  const char* name;
  const char* parameters;
  const char* body;
  const char* grid;
  const char* shape;
};
class CheckGrid : public Check, public testing::WithParamInterface<Grid> {};

TEST_P(CheckGrid, IsFoundFromWhatTheKernelTouches) {
  const auto& grid = GetParam();
  const auto manifest = scratch_ / "kept.toml";
  const auto result =
      check(fmt::format("kernel void k(device const float* x, device float* y, {}) {{\n{}\n}}\n",
                        grid.parameters, grid.body),
            {"--manifest-out", manifest.string(), "--cases", "10"});
  EXPECT_EQ(result.exit_code, 0) << words_;
  const auto text = read(manifest);
  EXPECT_THAT(text, HasSubstr(fmt::format("grid = [{}]", grid.grid)));
  EXPECT_THAT(text, HasSubstr(fmt::format("name = \"y\", type = \"float\", shape = [{}], access = \"out\"",
                                          grid.shape)));
}

INSTANTIATE_TEST_SUITE_P(
    All, CheckGrid,
    testing::Values(
        Grid{"Unguarded", "uint i [[thread_position_in_grid]]", "y[i] = x[i];", "\"N\", 1, 1", "\"N\""},
        Grid{"Rows", "constant uint& N, uint2 i [[thread_position_in_grid]]",
             "y[i.y * N + i.x] = x[i.y * N + i.x];", "\"N\", \"M\", 1", "\"M\", \"N\""},
        Grid{"Square", "constant uint& N, uint2 i [[thread_position_in_grid]]",
             "if (i.x < N && i.y < N) y[i.x * N + i.y] = x[i.y * N + i.x];", "\"N\", \"N\", 1",
             "\"N\", \"N\""},
        Grid{"FourEach", "constant uint& N, uint i [[thread_position_in_grid]]",
             "for (uint j = 4 * i; j < min(N, 4 * i + 4); ++j) y[j] = x[j];", "\"ceil(N / 4)\", 1, 1",
             "\"N\""},
        Grid{"Tiles",
             "constant uint& M, constant uint& N, uint2 g [[threadgroup_position_in_grid]], uint2 t "
             "[[thread_position_in_threadgroup]]",
             "uint r = g.y * 16 + t.y, c = g.x * 16 + t.x;\nif (r < M && c < N) y[r * N + c] = x[r * N + c];",
             "\"ceil(N / 16)\", \"ceil(M / 16)\", 1", "\"M\", \"N\""},
        Grid{"Packed", "constant uint& N, uint i [[thread_position_in_grid]]", "if (i < N) y[i] = x[i / 8];",
             "\"N\", 1, 1", "\"N\""}),
    [](const auto& one) { return one.param.name; });

struct Told {
  const char* name;
  std::vector<std::string> options;
  const char* says;
};
class CheckTold : public Check, public testing::WithParamInterface<Told> {};

TEST_P(CheckTold, WrongIsAnErrorThatNamesTheOption) {
  EXPECT_EQ(check(kRowSum, GetParam().options).exit_code, 2);
  EXPECT_THAT(words_, HasSubstr(GetParam().says));
  EXPECT_THAT(words_, Not(HasSubstr("guessed")));
}

INSTANTIATE_TEST_SUITE_P(
    All, CheckTold,
    testing::Values(Told{"NoBuffer",
                         {"--buffer", "z=half[M]"},
                         "--buffer z: row_sum has no buffer of that name; it has x, y, N"},
                    Told{"NoTexture", {"--texture", "x=r32float"}, "--texture x: row_sum has no textures"},
                    Told{"NoScalar", {"--scalar", "z=1"}, "--scalar z=1: row_sum has no scalar of that name"},
                    Told{"NoDimension", {"--dim", "Q=4"}, "--dim Q: no scalar, shape or grid has it"},
                    Told{"NoThreadgroup",
                         {"--threadgroup-memory", "0=64"},
                         "--threadgroup-memory 0=64: row_sum has no [[threadgroup(0)]]"},
                    Told{"TooFewResident",
                         {"--resident-threadgroups", "1"},
                         "--resident-threadgroups 1: `1` is not a whole number from 2 to 65536"},
                    Told{"NoFunction", {"nosuch"}, "there is no kernel function `nosuch`; there are row_sum"},
                    Told{"NoPrefix", {"--text-prefix", "nosuch.metal"}, "nosuch.metal"}),
    [](const auto& one) { return one.param.name; });

// A manifest has room for 16 dimensions, and a byte for no size: what is left over is a plain number.
TEST_F(Check, ValuesThatCannotAllBeSizes) {
  EXPECT_EQ(check("struct Many { uint n[20]; uchar bytes[32]; };\n"
                  "kernel void k(constant Many& many, device uint* y, uint i [[thread_position_in_grid]]) {\n"
                  "  if (i < many.n[0]) y[i] = many.n[19] + many.bytes[31];\n}\n")
                .exit_code,
            0)
      << words_;
  EXPECT_THAT(words_, HasSubstr("n_19 is 1; change it with --scalar n_19=VALUE"));
}

// The draft is in the cache, where nobody looks for a mistake in the kernel.
TEST_F(Check, NamesThatAManifestCannotHaveAreErrorsAtTheKernelsLine) {
  EXPECT_EQ(
      check("kernel void k(device float*, device float*, uint i [[thread_position_in_grid]]) {}\n").exit_code,
      2);
  EXPECT_THAT(words_, HasSubstr("k.metal:3: this parameter has no name; give it one"));
  const std::string text =
      "kernel void k(device const float* x,\n    device float* M, uint i "
      "[[thread_position_in_grid]]) { M[i] = x[i]; }\n";
  EXPECT_EQ(check(text, {"--buffer", "M=float[M]:out"}).exit_code, 2);
  EXPECT_THAT(words_, HasSubstr("k.metal:4: buffer `M` has the name of a dimension"));
  EXPECT_THAT(words_, Not(HasSubstr("checked/")));
}

// What is told is a limit, also of the sizes that are planned.
TEST_F(Check, SizesThatWereToldAreNotExceeded) {
  const std::string text =
      "kernel void k(device const float* x, device float* y, constant uint& N,\n"
      "              uint t [[thread_position_in_threadgroup]]) {\n"
      "  threadgroup float all[64];\n  all[t] = t < N ? x[t] : 0;\n"
      "  threadgroup_barrier(mem_flags::mem_threadgroup);\n  if (t < N) y[t] = all[N - 1 - t];\n}\n";
  EXPECT_EQ(check(text, {"--threads", "64", "--dim", "N=1:64"}).exit_code, 0) << words_;
  EXPECT_EQ(check(text, {"--threads", "64"}).exit_code, 2) << "larger sizes need more threads";
  EXPECT_THAT(words_, HasSubstr("say which, such as --dim N=64:1024:64"));
}

// Kernels of kinds that this project has none of (tests/end_to_end/checked): "" for one that is right.
struct Kind {
  const char* kernel;
  std::vector<std::string> options;
  const char* says;
};
class CheckKinds : public testing::TestWithParam<Kind> {};

TEST_P(CheckKinds, RightOnesPassAndFaultyOnesAreRejected) {
  const Kind& kind = GetParam();
  const bool right = *kind.says == '\0';
  const auto file = kSource / "tests/end_to_end/checked" / (right ? "right.metal" : "wrong.metal");
  std::vector<std::string> call = {"check",  file.string(), kind.kernel, "--numerics",
                                   "strict", "--cases",     "20"};
  call.insert(call.end(), kind.options.begin(), kind.options.end());
  const auto result = assay(call);
  EXPECT_EQ(result.exit_code, right ? 0 : 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr(kind.says));
}

INSTANTIATE_TEST_SUITE_P(
    All, CheckKinds,
    testing::Values(Kind{"tree_sum", {"--threads", "64"}, ""}, Kind{"softmax_rows", {"--threads", "32"}, ""},
                    Kind{"scan_block", {"--threads", "64", "--dim", "N=1:64"}, ""},
                    Kind{"bitonic", {"--threads", "64", "--dim", "N=1:64"}, ""},
                    Kind{"blur", {"--threads", "8,8"}, ""}, Kind{"saxpy", {"--threads", "64"}, ""},
                    Kind{"attend", {"--threads", "32", "--dim", "D=1:128"}, ""},
                    Kind{"tree_without_first_barrier", {"--threads", "64"}, "RACE"},
                    Kind{"barrier_in_a_branch", {"--threads", "64", "--dim", "N=64"}, "DIVERGENT BARRIER"},
                    Kind{"scan_in_one_phase", {"--threads", "64", "--dim", "N=64"}, "RACE"},
                    Kind{"maximum_of_unwritten",
                         {"--threads", "64", "--dim", "N=1:63", "--grid", "1", "--grid-unit", "threadgroups"},
                         "UNINITIALI"},
                    Kind{"bins_without_atomics", {"--threads", "64", "--dim", "N=64"}, "RACE"},
                    Kind{"tail_unwritten",
                         {"--buffer", "y=float[N]:out", "--grid", "ceil(N/4)", "--dim", "N=1:200"},
                         "WRONG RESULT"},
                    Kind{"stencil_in_place", {"--threads", "64", "--buffer", "x=float[N]:inout"}, "RACE"},
                    Kind{"total_without_atomics",
                         {"--threads", "32", "--grid", "M", "--buffer", "total=float[1]:inout"},
                         "RACE"},
                    Kind{"halo_too_small",
                         {"--threads", "64", "--grid", "ceil(N/64)", "--grid-unit", "threadgroups"},
                         "OUT OF BOUNDS"},
                    Kind{"partial_sums_unpublished", {"--threads", "64"}, "RACE"}),
    [](const auto& one) { return one.param.kernel; });

TEST_F(Check, OfSeveralKernelsOneMustBeNamed) {
  const std::string two =
      std::string(kRowSum) +
      "kernel void other(device float* y, uint i [[thread_position_in_grid]]) { y[i] = 1; }\n";
  EXPECT_EQ(check(two).exit_code, 2);
  EXPECT_THAT(words_, HasSubstr("the file has 2 kernels; name one of them after the file: row_sum, other"));
  EXPECT_EQ(check(two, {"other"}).exit_code, 0) << words_;
}

TEST_F(Check, ATextThatDoesNotCompileIsAnErrorWithItsLine) {
  EXPECT_EQ(check(with(kRowSum, "float s = 0;", "float s = zero;")).exit_code, 2);
  EXPECT_THAT(words_, HasSubstr("k.metal:8: "));
}

TEST_F(Check, AHangingKernelIsNoHang) {
  ASSAY_NEEDS_SIGNALS_AT_ONCE();
  const auto result =
      check(with(kRowSum, "float s = 0;", "float s = 0; while (N > 0) { if (y[0] == 7) break; }"),
            {"--timeout", "1", "--cases", "2"});
  EXPECT_EQ(result.exit_code, 2) << words_;
  EXPECT_THAT(words_, HasSubstr("COULD NOT BE JUDGED: a guess may be wrong"));
  EXPECT_THAT(words_, HasSubstr("row_sum: timeout: case 0 took more than "));
  EXPECT_THAT(words_, HasSubstr("could not measure"));
}

TEST_F(Check, TextsThatTheHostPutsAheadAreReadAndNamed) {
  scratch_.write("types.h", "#include <metal_stdlib>\nusing namespace metal;\ntypedef half elem;\n");
  scratch_.write("more.h", "inline float twice(elem x) { return 2.0f * float(x); }\n");
  const auto file = scratch_.write("k.metal",
                                   "kernel void k(device const elem* x, device float* y, constant uint& N,\n"
                                   "              uint i [[thread_position_in_grid]]) {\n"
                                   "  if (i < N) y[i] = twice(x[i]);\n}\n");
  const std::vector<std::string> call = {"check",         file.string(),
                                         "--text-prefix", (scratch_ / "types.h").string(),
                                         "--text-prefix", (scratch_ / "more.h").string(),
                                         "--cases",       "5"};
  EXPECT_EQ(told(assay(call)).exit_code, 0) << words_;
  scratch_.write("more.h", "\n\ninline float twice(elem x) { return 2.0f * float(z); }\n");
  EXPECT_EQ(told(assay(call)).exit_code, 2);
  EXPECT_THAT(words_, HasSubstr("more.h:3: "));
}

TEST_F(Check, KernelsMayHaveTheNamesOfMetalsNamespaces) {
  for (const char* name : {"fast", "precise", "simd"}) {
    const auto text = fmt::format(
        "kernel void {}(device float* y, uint i [[thread_position_in_grid]]) {{ y[i] = fast::exp(1.0f); }}\n",
        name);
    EXPECT_EQ(check(text, {"--cases", "3"}).exit_code, 0) << words_;
  }
}

TEST_F(Check, InitWritesAKernelThatPassesAndLosesNoFile) {
  const auto folder = (scratch_ / "new").string();
  EXPECT_EQ(told(assay({"init", "--out", folder})).exit_code, 0) << words_;
  EXPECT_THAT(words_, HasSubstr("assay verify --manifest " + folder + "/kernels.toml"));
  const auto verified = told(assay({"verify", "--manifest", folder + "/kernels.toml", "--cases", "40"}));
  EXPECT_EQ(verified.exit_code, 0) << words_;
  EXPECT_THAT(words_, Not(HasSubstr("no reference")));
  scratch_.write("new/rms_norm.metal", "mine\n");
  EXPECT_EQ(told(assay({"init", "--out", folder})).exit_code, 2);
  EXPECT_THAT(words_, HasSubstr("rms_norm.metal: this file exists already; --force replaces it"));
  EXPECT_EQ(read(scratch_ / "new/rms_norm.metal"), "mine\n");
}

TEST_F(Check, InitDraftsTheManifestOfAFile) {
  const auto file = scratch_.write("k.metal", kHead + kRowSum);
  const auto folder = scratch_.root().string();
  EXPECT_EQ(told(assay({"init", file.string(), "--out", folder})).exit_code, 0) << words_;
  EXPECT_THAT(words_, HasSubstr("1 of 1 kernels"));
  EXPECT_THAT(read(scratch_ / "k.toml"), HasSubstr("source = \"k.metal\""));
  EXPECT_EQ(told(assay({"verify", "--manifest", folder + "/k.toml", "--cases", "20", "--numerics", "strict"}))
                .exit_code,
            0)
      << words_;
  std::ofstream(scratch_ / "k.toml") << "# mine\n";
  EXPECT_EQ(told(assay({"init", file.string(), "--out", folder})).exit_code, 2);
  EXPECT_THAT(words_, HasSubstr("k.toml: this file exists already"));
  EXPECT_EQ(assay({"init", file.string(), "--out", folder, "--force"}).exit_code, 0);
}

}  // namespace
}  // namespace assay::end_to_end
