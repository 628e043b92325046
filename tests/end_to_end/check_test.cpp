// `assay check` and `assay init`: a kernel of which nobody has written a manifest.
#include <gmock/gmock.h>

#include <algorithm>
#include <regex>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const std::string kHead = "#include <metal_stdlib>\nusing namespace metal;\n";

constexpr const char* kRowSum =
    "kernel void row_sum(device const half* x [[buffer(0)]], device float* y [[buffer(1)]],\n"
    "    constant uint& N [[buffer(2)]], uint row [[threadgroup_position_in_grid]],\n"
    "    uint t [[thread_position_in_threadgroup]]) {\n"
    "  constexpr uint THREADS = 64;\n  threadgroup float part[THREADS];\n  float s = 0;\n"
    "  for (uint i = t; i < N; i += THREADS) s += float(x[row * N + i]);\n  part[t] = s;\n"
    "  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
    "  for (uint d = 32; d > 0; d /= 2) {\n    if (t < d) part[t] += part[t + d];\n"
    "    threadgroup_barrier(mem_flags::mem_threadgroup);\n  }\n  if (t == 0) y[row] = part[0];\n}\n";

class Check : public testing::Test {
 protected:
  metal::ProcessResult check(const std::string& text, std::vector<std::string> more = {}) {
    const auto file = scratch_.write("k.metal", kHead + text);
    std::vector<std::string> arguments = {"check", file.string(), "--numerics", "strict"};
    if (std::find(more.begin(), more.end(), "--cases") == more.end())
      arguments.insert(arguments.end(), {"--cases", "30"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return told(assay(arguments));
  }
  metal::ProcessResult told(metal::ProcessResult result) {
    words_ = std::regex_replace(result.out + result.err, std::regex("\\s+"), " ");
    return result;
  }

  Scratch scratch_;
  std::string words_;
};

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

// One too many is no shape that anybody means: it is not taken for one.
TEST_F(Check, OneElementTooManyIsOutOfBoundsAndNamesTheBuffer) {
  EXPECT_EQ(check(with(kRowSum, "i < N", "i <= N")).exit_code, 1);
  EXPECT_THAT(words_, HasSubstr("OUT OF BOUNDS"));
  EXPECT_THAT(words_, HasSubstr("x was guessed to be half [M, N]"));
  EXPECT_THAT(words_, HasSubstr("--buffer x=half[SIZES]"));
}

TEST_F(Check, ABufferThatIsToldTooSmallSaysSo) {
  EXPECT_EQ(check(kRowSum, {"--buffer", "x=half[N]"}).exit_code, 1);
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
  EXPECT_EQ(check(with(copy, "if (i < N) ", ""), {"--grid", "ceil(N/64)*64"}).exit_code, 1);
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

const std::string kShade =
    "kernel void shade(texture2d<float, access::read> in [[texture(0)]],\n"
    "                  texture2d<float, access::write> out [[texture(1)]], constant float& gain "
    "[[buffer(0)]],\n"
    "                  uint2 at [[thread_position_in_grid]]) {\n"
    "  if (at.x >= out.get_width() || at.y >= out.get_height()) return;\n"
    "  out.write(gain * in.read(at), at);\n}\n";

TEST_F(Check, AKernelOfTexturesHasAThreadForEachTexel) {
  const auto manifest = scratch_ / "kept.toml";
  EXPECT_EQ(check(kShade, {"--manifest-out", manifest.string()}).exit_code, 0) << words_;
  EXPECT_THAT(words_, HasSubstr("in is rgba32float [H, W]; change it with --texture in=FORMAT[EXTENTS]"));
  EXPECT_THAT(words_, HasSubstr("the grid is [W, H, 1] threads"));
  const auto text = read(manifest);
  EXPECT_THAT(text, HasSubstr("{ tensor = \"out\", kind = \"2d\", format = \"rgba32float\" }"));
  EXPECT_THAT(text,
              HasSubstr("name = \"out\", type = \"float\", shape = [\"H\", \"W\", 4], access = \"out\""));
}

// 16 x 8 threads write all of a tile; 8 x 8, with which it runs too, write half of it.
TEST_F(Check, ThreadsAreThoseThatWriteTexturesWhole) {
  const auto file = kSource / "examples/gallery/convolution.metal";
  EXPECT_EQ(told(assay({"check", file.string(), "--numerics", "strict", "--cases", "20"})).exit_code, 0)
      << words_;
  EXPECT_THAT(words_, HasSubstr("16 x 8 threads in a threadgroup, because the kernel faults with 16 x 16"));
  EXPECT_THAT(words_, HasSubstr("out is only stored to"));
}

TEST_F(Check, TexelsThatNobodyWroteAreFoundAndTheirTextureIsNamed) {
  EXPECT_EQ(check(with(kShade, "at.y >= out", "at.y + 1 >= out"), {"--texture", "out=:out"}).exit_code, 1);
  EXPECT_THAT(words_, HasSubstr("were never written"));
  EXPECT_THAT(words_, HasSubstr("add --texture out=:inout"));
}

TEST_F(Check, ATextureIsWhatItIsToldToBe) {
  EXPECT_EQ(check(kShade, {"--texture", "in=rgba8unorm[2*H,W]", "--texture", "out=r16float[H,W]:out", "--dim",
                           "W=1:40"})
                .exit_code,
            0)
      << words_;
  EXPECT_THAT(words_, Not(HasSubstr("change it with --texture in=FORMAT")));
}

TEST_F(Check, ValuesOfATextureMayStayBelowADimension) {
  const std::string pick =
      "kernel void pick(texture2d<uint, access::read> from [[texture(0)]], device const float* x,\n"
      "                 device float* y, uint2 at [[thread_position_in_grid]]) {\n"
      "  if (at.x < from.get_width() && at.y < from.get_height())\n"
      "    y[at.y * from.get_width() + at.x] = x[from.read(at).x];\n}\n";
  EXPECT_EQ(check(pick, {"--texture", "from=r32uint:below=E", "--buffer", "x=float[E]", "--dim", "E=1:50"})
                .exit_code,
            0)
      << words_;
  EXPECT_EQ(check(pick, {"--texture", "from=r32uint:below=E", "--buffer", "x=float[7]", "--dim", "E=20:50"})
                .exit_code,
            1);
  EXPECT_THAT(words_, HasSubstr("OUT OF BOUNDS"));
}

// Neighbours read what a thread of another simdgroup may have written already.
TEST_F(Check, ATextureThatIsChangedInPlaceHasRaces) {
  EXPECT_EQ(check("kernel void smear(texture2d<float, access::read_write> image [[texture(0)]],\n"
                  "                  uint2 at [[thread_position_in_grid]]) {\n"
                  "  if (at.x + 1 >= image.get_width() || at.y >= image.get_height()) return;\n"
                  "  image.write(0.5f * (image.read(at) + image.read(at + uint2(1, 0))), at);\n}\n")
                .exit_code,
            1);
  EXPECT_THAT(words_, HasSubstr("smear: RACE"));
}

// Volumes, layers, lines and samplers; extents that are scalars of the kernel, and textures in an array.
TEST_F(Check, TexturesOfAllExtentsAreDrafted) {
  const auto manifest = scratch_ / "kept.toml";
  EXPECT_EQ(
      check(
          "kernel void mixed(texture3d<float> volume [[texture(0)]], texture2d_array<half, access::read> "
          "layers\n"
          "    [[texture(1)]], texture1d<uint, access::read> line [[texture(2)]], sampler s [[sampler(0)]],\n"
          "    array<texture2d<float, access::read>, 2> pair [[texture(3)]], device float* y [[buffer(0)]],\n"
          "    texturecube<float> sky [[texture(5)]], texturecube_array<float, access::read> skies "
          "[[texture(6)]],\n"
          "    constant uint& width [[buffer(1)]], uint2 at [[thread_position_in_grid]]) {\n"
          "  if (at.x >= width || at.y >= layers.get_height()) return;\n"
          "  const float3 place = float3(float2(at), 0.5f) / float3(width, layers.get_height(), 1);\n"
          "  y[at.y * width + at.x] = volume.sample(s, place).x + float(layers.read(at, 0).y) +\n"
          "      float(line.read(at.x).x & 3) + pair[0].read(at).z + pair[1].read(at).w +\n"
          "      sky.sample(s, place).x + skies.read(at, 3, 0).y;\n}\n",
          {"--manifest-out", manifest.string()})
          .exit_code,
      0)
      << words_;
  const auto text = read(manifest);
  EXPECT_THAT(text, HasSubstr("kind = \"3d\""));
  EXPECT_THAT(text, HasSubstr("kind = \"2d_array\", format = \"rgba16float\""));
  EXPECT_THAT(text, HasSubstr("tensor = \"pair_1\""));
  EXPECT_THAT(text, HasSubstr("filter = \"linear\""));
  EXPECT_THAT(text, HasSubstr("name = \"sky\", type = \"float\", shape = [6, \"width\", \"width\", 4]"));
  EXPECT_THAT(text,
              HasSubstr("name = \"skies\", type = \"float\", shape = [\"6 * L\", \"width\", \"width\", 4]"));
  EXPECT_THAT(text, HasSubstr("name = \"line\", type = \"uint\", shape = [\"width\", 4]"));
}

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

TEST_F(Check, AReferenceToThreadgroupMemoryIsOneElement) {
  EXPECT_EQ(
      check(
          "struct Stage { float rows[8][32]; };\n"
          "kernel void k(threadgroup Stage& stage [[threadgroup(0)]], device float* y,\n"
          "              uint i [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {\n"
          "  if (i < 32) { stage.rows[1][i] = float(i); y[g * 32 + i] = stage.rows[1][i]; }\n}\n")
          .exit_code,
      0)
      << words_;
  EXPECT_THAT(words_, HasSubstr("stage has 1024 bytes, one element; change it with"));
}

constexpr const char* kSetOfRows =
    "struct Sizes { uint rows, columns; };\n"
    "struct Set {\n"
    "  device const half* x [[id(0)]];\n"
    "  constant Sizes* sizes [[id(1)]];\n"
    "  device float* sums [[id(2)]];\n"
    "  float factor [[id(3)]];\n"
    "};\n"
    "kernel void k(constant Set& set [[buffer(0)]], uint row [[thread_position_in_grid]]) {\n"
    "  if (row >= set.sizes->rows) return;\n"
    "  float sum = 0;\n"
    "  for (uint i = 0; i < set.sizes->columns; ++i) sum += set.x[row * set.sizes->columns + i];\n"
    "  set.sums[row] = set.factor * sum;\n"
    "}\n";

TEST_F(Check, MembersOfArgumentBuffersAreBuffersAndDimensions) {
  const auto manifest = scratch_ / "kept.toml";
  EXPECT_EQ(check(kSetOfRows, {"--manifest-out", manifest.string()}).exit_code, 0) << words_;
  EXPECT_THAT(words_, HasSubstr("factor is 1.0; change it with --scalar factor=VALUE"));
  const auto text = read(manifest);
  EXPECT_THAT(text, HasSubstr("arguments = [{ buffer = [{ pointer = \"x\" }, { pointer = [\"rows\", "
                              "\"columns\"] }, { pointer = \"sums\" }, \"=1.0:float\"] }]"));
  EXPECT_THAT(text, HasSubstr("{ name = \"x\", type = \"half\", shape = [\"columns\", \"rows\"] }"));
  EXPECT_THAT(text, HasSubstr("{ name = \"sums\", type = \"float\", shape = [\"rows\"], access = \"out\" }"));

  EXPECT_EQ(check(with(kSetOfRows, "columns + i]", "columns + i + 1]")).exit_code, 1);
  EXPECT_THAT(words_, HasSubstr("is past the end of `set.x`"));
  EXPECT_THAT(words_, HasSubstr("x was guessed to be half [columns, rows], which has"));
  EXPECT_EQ(check(kSetOfRows, {"--buffer", "sums=float[columns]"}).exit_code, 1);
  EXPECT_THAT(words_, HasSubstr("sums was said to be float [columns], and the kernel must write all of it"));
}

// Names that two structs share, blocks in blocks, members that a manifest has no words for.
TEST_F(Check, MembersOfBlocksInBlocksHaveNamesOfTheirOwn) {
  const auto manifest = scratch_ / "kept.toml";
  EXPECT_EQ(
      check("template <class T> struct Buffer { device T* data; uint count; };\n"
            "struct Inner { Buffer<const float> in; float4x4 world; half scale; };\n"
            "struct Block { constant Inner* inner; Buffer<float> out[2]; float3 bias; uint last; };\n"
            "kernel void k(constant Block* block, device float* data, uint i [[thread_position_in_grid]]) {\n"
            "  if (i >= block->out[0].count) return;\n"
            "  block->out[0].data[i] = block->inner->in.data[i] + block->bias.z;\n"
            "  block->out[1].data[i] = block->inner->world[3][3];\n"
            "  data[i] = float(block->inner->scale);\n"
            "}\n",
            {"--manifest-out", manifest.string()})
          .exit_code,
      0)
      << words_;
  EXPECT_THAT(words_, HasSubstr("block->inner->world is zeros; write a manifest for other values"));
  EXPECT_THAT(words_, HasSubstr("block leads to one struct; write a manifest where there are more"));
  EXPECT_THAT(read(manifest), HasSubstr("{ pointer = \"block_out_1_data\" }"));
}

// However long a text makes them.
TEST_F(Check, StructsOfVeryManyMembersAreRefused) {
  EXPECT_EQ(
      check(
          "struct A { device float* p[4096]; };\nstruct B { A a[4096]; };\nstruct C { B b[64]; };\n"
          "kernel void k(constant C* c, uint i [[thread_position_in_grid]]) { c->b[0].a[0].p[0][i] = 1; }\n")
          .exit_code,
      2);
  EXPECT_THAT(words_, HasSubstr("is one of more than 512 members that a launch has to fill in"));
  EXPECT_EQ(check("struct A { device float* p; float more[100000000]; };\n"
                  "kernel void k(constant A* a, uint i [[thread_position_in_grid]]) { a->p[i] = 1; }\n")
                .exit_code,
            2);
  EXPECT_THAT(words_,
              HasSubstr("a struct with pointers has 400000000 bytes for which a draft has no values"));
}

TEST_F(Check, StructsOfPointersThatAreNoPlainDataAreRefusedAtTheKernelsLine) {
  EXPECT_EQ(
      check("struct Rows { device float* x; uint n : 3; };\n"
            "kernel void k(constant Rows& rows, uint i [[thread_position_in_grid]]) { rows.x[i] = 1; }\n")
          .exit_code,
      2);
  EXPECT_THAT(words_,
              HasSubstr("k.metal:4: `rows` is a struct with pointers whose members are not plain data"));
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
  EXPECT_EQ(check(text, {"--threads", "64"}).exit_code, 1) << "larger sizes need more threads";
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
    testing::Values(
        Kind{"tree_sum", {"--threads", "64"}, ""}, Kind{"softmax_rows", {"--threads", "32"}, ""},
        Kind{"scan_block", {"--threads", "64", "--dim", "N=1:64"}, ""},
        Kind{"bitonic", {"--threads", "64", "--dim", "N=1:64"}, ""}, Kind{"blur", {"--threads", "8,8"}, ""},
        Kind{"saxpy", {"--threads", "64"}, ""}, Kind{"attend", {"--threads", "32", "--dim", "D=1:128"}, ""},
        Kind{"tree_without_first_barrier", {"--threads", "64"}, "RACE"},
        Kind{"barrier_in_a_branch", {"--threads", "64", "--dim", "N=64"}, "DIVERGENT BARRIER"},
        Kind{"scan_in_one_phase", {"--threads", "64", "--dim", "N=64"}, "RACE"},
        Kind{"maximum_of_unwritten",
             {"--threads", "64", "--dim", "N=1:63", "--grid", "1", "--grid-unit", "threadgroups"},
             "UNINITIALI"},
        Kind{"bins_without_atomics", {"--threads", "64", "--dim", "N=64"}, "RACE"},
        Kind{"tail_unwritten", {"--threads", "64"}, "WRONG RESULT"},
        Kind{"stencil_in_place", {"--threads", "64", "--buffer", "x=float[N]:inout"}, "RACE"},
        Kind{"total_without_atomics", {"--threads", "32", "--buffer", "total=float[1]:inout"}, "RACE"},
        Kind{"halo_too_small",
             {"--threads", "64", "--grid", "ceil(N/64)", "--grid-unit", "threadgroups"},
             "OUT OF BOUNDS"},
        Kind{"partial_sums_unpublished", {"--threads", "64"}, "RACE"}),
    [](const auto& one) { return one.param.kernel; });

// Half of the simdgroup exchanges values with the other half, which is not there.
std::string half_of_a_simdgroup(const std::string& type, const std::string& value) {
  return "kernel void fold(device const float* x, device " + type +
         "* y, uint g [[threadgroup_position_in_grid]],\n"
         "                 uint lane [[thread_index_in_simdgroup]]) {\n"
         "  if (lane >= 16) return;\n"
         "  const float v = x[g * 16 + lane], other = simd_shuffle_xor(v, 16);\n"
         "  y[g * 16 + lane] = " +
         value + ";\n}\n";
}

const std::vector<std::string> kHalves = {"--threads", "32", "--grid", "M", "--buffer", "x=float[M,16]"};

TEST_F(Check, TheValueOfALaneThatTakesNoPartIsNamed) {
  for (const auto& [type, value] : std::vector<std::pair<std::string, std::string>>{
           {"float", "other"}, {"float", "v + other"}, {"half", "half(v + 2 * other)"}}) {
    auto told = kHalves;
    told.insert(told.end(), {"--buffer", "y=" + type + "[M,16]:out"});
    EXPECT_EQ(check(half_of_a_simdgroup(type, value), told).exit_code, 1) << value << words_;
    EXPECT_THAT(words_, HasSubstr("elements of y hold the value of a lane that took no part"));
    EXPECT_THAT(words_, HasSubstr("k.metal:6: thread 0 (simdgroup 0, lane 0) of threadgroup (0, 0, 0) was "
                                  "given the value of lane 16, which took no part there"));
    EXPECT_THAT(words_, Not(HasSubstr("were never written")));
  }
  auto told = kHalves;
  told.insert(told.end(), {"--buffer", "y=float[M,16]:out"});
  EXPECT_EQ(check(half_of_a_simdgroup("float", "lane < 16 ? v : other"), told).exit_code, 0) << words_;
}

// Threadgroups begin in any order, so that all of them must be in flight at once.
const std::string kChain =
    "kernel void chain(device const uint* x, device uint* y, device atomic_uint* done, constant uint& n,\n"
    "                  uint g [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {\n"
    "  if (t != 0) return;\n"
    "  y[g] = x[g];\n"
    "  if (g > 0) while (atomic_load_explicit(&done[g - 1], memory_order_relaxed) == 0) {}\n"
    "  atomic_store_explicit(&done[g], 1u, memory_order_relaxed);\n}\n";
std::vector<std::string> chain(const std::string& sizes, const std::vector<std::string>& more = {}) {
  std::vector<std::string> told = {
      "--threads", "32",        "--grid",        "M",        "--buffer",
      "x=uint[M]", "--buffer",  "y=uint[M]:out", "--buffer", "done=uint[M]:inout:0",
      "--dim",     "M=" + sizes};
  told.insert(told.end(), more.begin(), more.end());
  return told;
}

TEST_F(Check, ThreadgroupsThatWaitForEachOtherNeedALeave) {
  EXPECT_EQ(check(kChain, chain("1:4")).exit_code, 1) << words_;
  EXPECT_THAT(words_, HasSubstr("chain: NEEDS RESIDENCY"));
  EXPECT_THAT(words_, ContainsRegex("if the host makes sure that ([2-4]) threadgroups run at once, add "
                                    "--resident-threadgroups [2-4]"));
  const auto kept = (scratch_ / "kept.toml").string();
  EXPECT_EQ(check(kChain, chain("1:60", {"--resident-threadgroups", "60", "--manifest-out", kept})).exit_code,
            0)
      << words_;
  EXPECT_THAT(read(kept), HasSubstr("resident_threadgroups = 60\n"));
}

TEST_F(Check, FewerThreadgroupsInFlightThanNeededAreADeadlock) {
  EXPECT_EQ(check(kChain, chain("60", {"--resident-threadgroups", "4"})).exit_code, 1) << words_;
  EXPECT_THAT(words_, HasSubstr("chain: DEADLOCK"));
  EXPECT_THAT(words_,
              ContainsRegex("a change that none of the [0-9]+ threadgroups in flight makes. [0-9]+ more "
                            "begin only when one of these ends"));
  EXPECT_THAT(words_, HasSubstr("60 threadgroups run at once, add --resident-threadgroups 60"));
  EXPECT_EQ(check(kChain, chain("300", {"--resident-threadgroups", "4"})).exit_code, 1) << words_;
  EXPECT_THAT(words_, HasSubstr("the simulator has room for 64 threadgroups at once; keep the grid smaller"));
}

// The author may be right, so it is no verdict.
TEST_F(Check, MoreThreadgroupsInFlightThanThereIsRoomForAreAnError) {
  EXPECT_EQ(check(kChain, chain("300", {"--resident-threadgroups", "300"})).exit_code, 2) << words_;
  EXPECT_THAT(words_, HasSubstr("the launch counts on 300 threadgroups in flight, and the simulator has room "
                                "for 64; use smaller grids"));
}

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

TEST_F(Check, AHangingKernelIsAVerdictAndNoHang) {
  const auto result =
      check(with(kRowSum, "float s = 0;", "float s = 0; while (N > 0) { if (y[0] == 7) break; }"),
            {"--timeout", "1", "--cases", "2"});
  EXPECT_EQ(result.exit_code, 1) << words_;
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
