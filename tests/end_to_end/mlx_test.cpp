// Kernels whose source is a body as MLX's mx.fast.metal_kernel takes it.
#include <gmock/gmock.h>

#include <map>
#include <regex>
#include <set>

#include "harness/mutate/mutated_kernel.hpp"
#include "harness/run/manifests.hpp"
#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::HasSubstr;
using testing::Not;

class Mlx : public testing::Test {
 protected:
  metal::ProcessResult program(std::vector<std::string> arguments) {
    auto result = assay(std::move(arguments));
    // As one line, so that what is said is found however it is wrapped.
    words_ = std::regex_replace(result.out + result.err, std::regex("\\s+"), " ");
    return result;
  }

  int verify(const std::string& manifest, const std::string& body, const std::string& cases = "60") {
    scratch_.write("b.metal", body);
    scratch_.write("m.toml", manifest);
    return program({"verify", "--numerics", "strict", "--cases", cases, "--allow-dir",
                    (kSource / "kernels").string(), "--manifest", (scratch_ / "m.toml").string()})
        .exit_code;
  }

  Scratch scratch_;
  std::string words_;
};

/// A kernel of tensors x half [M, N], scale float, out half [M, N] = x * scale, with these other lines.
std::string scaled(const std::string& more, const std::string& grid = "[\"N\", \"M\", 1]") {
  return "[[operation]]\nname = \"scaled\"\nreference = \"scaled.reference.cpp\"\n"
         "dimensions = [\"M\", { name = \"N\", largest = 300 }]\ntensors = [\n"
         "  { name = \"x\", type = \"half\", shape = [\"M\", \"N\"] },\n"
         "  { name = \"factor\", type = \"float\", shape = [], values = { one_of = [0.5, 2, 3] } },\n"
         "  { name = \"out\", type = \"half\", shape = [\"M\", \"N\"], access = \"out\" },\n]\n"
         "[[kernel]]\nname = \"scale-rows\"\nsource_kind = \"mlx_body\"\nsource = \"b.metal\"\noperation = "
         "\"scaled\"\n"
         "input_names = [\"x\", \"factor\"]\noutput_names = [\"out\"]\nthreads_per_threadgroup = [32, "
         "2]\ngrid = " +
         grid + "\n" + more + "\n";
}

constexpr const char* kScaledReference =
    "void reference() {\n  for (Index m = 0; m < M; ++m)\n"
    "    for (Index n = 0; n < N; ++n) out(m, n) = x(m, n) * factor();\n}\n";

TEST_F(Mlx, RightBodyPassesAndAFaultyOneIsRejectedAtItsOwnLine) {
  scratch_.write("scaled.reference.cpp", kScaledReference);
  scratch_.write("h.metal", "template <typename T>\nT times(T a, T b) {\n  return a * b;\n}\n");
  const std::string body =
      "// one thread an element\nuint2 at = thread_position_in_grid.xy;\nuint i = at.y * x_shape[1] + at.x;\n"
      "if (EXACT) out[i] = times(T(x[i]), T(factor));\n";
  const std::string manifest =
      scaled("header = \"h.metal\"\ntemplate = { T = \"float32\", EXACT = true, SPARE = 4 }");
  EXPECT_EQ(verify(manifest, body), 0) << words_;
  EXPECT_EQ(verify(manifest, std::regex_replace(body, std::regex("x_shape\\[1\\]"), "x_shape[1] + 1")), 1);
  EXPECT_THAT(words_, HasSubstr("b.metal:4"));
  EXPECT_THAT(words_, HasSubstr("function custom_kernel_scale_rows"));
  EXPECT_THAT(words_, Not(HasSubstr("<signature>")));
  // A fault of the header is one of its line.
  scratch_.write("h.metal", "template <typename T>\nT times(T a, T b) {\n  return a * c;\n}\n");
  EXPECT_EQ(verify(manifest, body), 2);
  EXPECT_THAT(words_, HasSubstr("h.metal:3"));
}

TEST_F(Mlx, ReplayRunsTheSameBody) {
  scratch_.write("scaled.reference.cpp", kScaledReference);
  EXPECT_EQ(verify(scaled(""),
                   "uint2 at = thread_position_in_grid.xy;\nuint i = at.y * x_shape[1] + at.x;\n"
                   "out[i] = at.x == 5 ? half(9) : half(float(x[i]) * factor);\n"),
            1);
  std::smatch line;
  ASSERT_TRUE(std::regex_search(words_, line, std::regex("assay replay '([^']*)'")));
  EXPECT_EQ(program({"replay", line[1].str()}).exit_code, 1);
  EXPECT_THAT(words_, HasSubstr("WRONG RESULT"));
}

// Without ensure_row_contiguous inputs are views: a body that does not ask for strides is wrong, and one that
// does is right.
TEST_F(Mlx, StridesAreAnyWhereRowsNeedNotBeContiguous) {
  scratch_.write("scaled.reference.cpp", kScaledReference);
  const std::string manifest = scaled("ensure_row_contiguous = false", "[\"M * N\", 1, 1]");
  const std::string contiguous = "uint i = thread_position_in_grid.x;\nout[i] = float(x[i]) * factor;\n";
  EXPECT_EQ(verify(manifest, contiguous), 1) << words_;
  EXPECT_EQ(verify(manifest,
                   "uint i = thread_position_in_grid.x;\n"
                   "out[i] = float(x[elem_to_loc(i, x_shape, x_strides, x_ndim)]) * factor;\n",
                   "200"),
            0)
      << words_;
  EXPECT_EQ(verify(scaled("", "[\"M * N\", 1, 1]"), contiguous), 0) << words_;
}

// MLX gives inputs of fewer than eight elements in constant memory: a pointer to device memory does not
// compile then.
TEST_F(Mlx, PointersToDeviceMemoryNeedInputsThatAreThere) {
  scratch_.write("scaled.reference.cpp", kScaledReference);
  const std::string body =
      "uint2 at = thread_position_in_grid.xy;\nconst device half* row = x + at.y * x_shape[1];\n"
      "out[at.y * x_shape[1] + at.x] = float(row[at.x]) * factor;\n";
  EXPECT_EQ(verify(scaled(""), body), 2) << words_;
  EXPECT_THAT(words_, HasSubstr("b.metal:2"));
  EXPECT_THAT(words_,
              HasSubstr("MLX passes inputs of fewer than 8 elements in constant memory, which `x` may be"));
  EXPECT_EQ(verify(scaled("requires = { N_min = 8 }"), body), 0) << words_;
  EXPECT_EQ(verify(scaled(""), std::regex_replace(body, std::regex("const device half\\*"), "auto")), 0)
      << words_;
}

const std::string kCounted =
    "[[operation]]\nname = \"counted\"\nreference = \"counted.reference.cpp\"\n"
    "dimensions = [{ name = \"N\", largest = 3000 }, { name = \"bins\", values = [2, 16] }]\ntensors = [\n"
    "  { name = \"key\", type = \"uchar\", shape = [\"N\"], values = { below = \"bins\" } },\n"
    "  { name = \"counts\", type = \"uint\", shape = [\"bins\"], access = \"out\" },\n]\n"
    "[[kernel]]\nname = \"count\"\nsource_kind = \"mlx_body\"\nsource = \"b.metal\"\noperation = "
    "\"counted\"\n"
    "input_names = [\"key\", \"size\"]\noutput_names = [\"counts\"]\narguments = [\"key\", [\"N\", "
    "\"bins\"], \"counts\"]\n"
    "threads_per_threadgroup = 64\ngrid = [\"ceil(N / 4)\", 1, 1]\n";

constexpr const char* kCountedBody =
    "uint thread_index = thread_position_in_grid.x;\n"
    "for (uint i = 4 * thread_index; i < min(4 * thread_index + 4, uint(size[0])); ++i) {\n"
    "  atomic_fetch_add_explicit(&counts[key[i]], 1u, memory_order_relaxed);\n}\n";

TEST_F(Mlx, AtomicOutputsBeginWithTheirInitialValue) {
  scratch_.write("counted.reference.cpp",
                 "void reference() {\n  for (Index b = 0; b < bins; ++b)\n"
                 "    counts(b) = sum(N, [&](Index i) { return Number(key(i) == b ? 1 : 0); });\n}\n");
  EXPECT_EQ(verify(kCounted + "atomic_outputs = true\ninit_value = 0\n", kCountedBody), 0) << words_;
  EXPECT_EQ(verify(kCounted + "atomic_outputs = true\ninit_value = 1\n", kCountedBody), 1);
  EXPECT_THAT(words_, HasSubstr("WRONG RESULT"));
  // Nobody clears what MLX has just made.
  EXPECT_EQ(verify(kCounted + "atomic_outputs = true\n", kCountedBody), 1);
  EXPECT_THAT(words_, HasSubstr("nobody has written"));
  // No output is atomic unless that is said.
  EXPECT_EQ(verify(kCounted + "init_value = 0\n", kCountedBody), 2);
  EXPECT_THAT(words_, HasSubstr("b.metal:3"));
}

// All that a body may be told of its threads, in a kernel of which no more is said than its buffers.
TEST_F(Mlx, EveryAttributeOfThreadsIsThere) {
  const std::string manifest =
      "[[kernel]]\nname = \"attributes\"\nsource_kind = \"mlx_body\"\nsource = \"b.metal\"\n"
      "dimensions = [{ name = \"N\", largest = 300 }]\ntensors = [\n"
      "  { name = \"on\", type = \"bool\", shape = [\"N\"] },\n"
      "  { name = \"out\", type = \"uint\", shape = [\"N\"], access = \"out\" },\n]\n"
      "input_names = [\"on\"]\noutput_names = [\"out\"]\nthreads_per_threadgroup = 64\ngrid = [\"N\", 1, "
      "1]\n";
  const std::string body =
      "uint i = thread_position_in_grid.x;\n"
      "uint three = thread_position_in_threadgroup.x + threadgroup_position_in_grid.x + "
      "threadgroups_per_grid.x +\n"
      "    threads_per_grid.x + threads_per_threadgroup.x + dispatch_threads_per_threadgroup.x + "
      "grid_origin.x;\n"
      "uint one = simdgroup_index_in_threadgroup + simdgroups_per_threadgroup + thread_execution_width +\n"
      "    thread_index_in_simdgroup + thread_index_in_threadgroup + threads_per_simdgroup +\n"
      "    thread_index_in_quadgroup + quadgroup_index_in_threadgroup + quadgroups_per_threadgroup +\n"
      "    dispatch_simdgroups_per_threadgroup + dispatch_quadgroups_per_threadgroup;\n"
      "out[i] = on[i] ? three : one;\n";
  EXPECT_EQ(verify(manifest, body), 0) << words_;
  EXPECT_THAT(words_, HasSubstr("no reference"));
}

/// The bridge of document 004 (docs/documents.md): marlin_gemm_fp4 by way of mx.fast.metal_kernel, its sizes
/// as numbers of Python's, its tiles in the header. The text is that of our own kernel.
std::string bridge() {
  return fmt::format(
      "[[kernel]]\nname = \"marlin_gemm_fp4\"\nsource_kind = \"mlx_body\"\nsource = \"b.metal\"\nheader = "
      "\"h.metal\"\n"
      "include_dirs = [\"{}\"]\noperation = \"gemm_fp4\"\n"
      "input_names = [\"A\", \"B\", \"scales\", \"M\", \"N\", \"K\", \"group_size\"]\noutput_names = "
      "[\"C\"]\n"
      "template = {{ STAGES = 2 }}\nthreads_per_threadgroup = 128\ntile = {{ m = 64, n = 64, k = 32 }}\n"
      "grid = [\"128 * ceil(N / tile.n)\", \"ceil(M / tile.m)\", 1]\nrequires = {{ N_min = 8, K_min = 8 }}\n"
      "arithmetic = {{ dequantize = \"half\", accumulate = \"float\" }}\n",
      (kSource / "kernels").string());
}

constexpr const char* kBridgeBody =
    "threadgroup ATiles<STAGES> A_tiles;\n"
    "threadgroup half B_tiles[STAGES][TILE_K * TILE_N];\n"
    "const Shape shape = {uint(M), uint(N), uint(K), uint(group_size)};\n"
    "const Fp4Weights weights = {B, scales, shape};\n"
    "const Corner tile = tile_corner(threadgroup_position_in_grid.xy);\n"
    "const Corner part = part_corner(simdgroup_index_in_threadgroup);\n"
    "const uint thread_index = thread_index_in_threadgroup;\n"
    "Sums sums;\n"
    "clear(sums);\n"
    "uint current = 0;\n"
    "load_a(A, shape, tile.row, 0, A_tiles.stage[0], thread_index, THREADS);\n"
    "load_b(weights, 0, tile.column, B_tiles[0], thread_index, THREADS);\n"
    "threadgroup_barrier(mem_flags::mem_threadgroup);\n"
    "for (uint k = 0; k < shape.K; k += TILE_K) {\n"
    "  if (k + TILE_K < shape.K) {\n"
    "    load_a(A, shape, tile.row, k + TILE_K, A_tiles.stage[1 - current], thread_index, THREADS);\n"
    "    load_b(weights, k + TILE_K, tile.column, B_tiles[1 - current], thread_index, THREADS);\n"
    "  }\n"
    "  multiply(A_tiles.stage[current], B_tiles[current], part, sums);\n"
    "  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
    "  current = 1 - current;\n"
    "}\n"
    "store(sums, A_tiles.strip[simdgroup_index_in_threadgroup], C, shape, tile + part, "
    "thread_index_in_simdgroup);\n";

TEST_F(Mlx, BridgeOfDocument004IsVerifiedAsTheKernelIs) {
  scratch_.write("h.metal",
                 "#include \"include/fp4.h\"\n#include \"include/load.h\"\n#include \"include/store.h\"\n");
  EXPECT_EQ(verify(bridge(), kBridgeBody, "20"), 0) << words_;
  // Without the barrier behind the product a tile is filled while others multiply it.
  const std::string racy = std::regex_replace(
      kBridgeBody, std::regex("  threadgroup_barrier\\(mem_flags::mem_threadgroup\\);"), "  ;");
  EXPECT_EQ(verify(bridge(), racy, "20"), 1);
  EXPECT_THAT(words_, HasSubstr("race"));
}

// Faults go into what somebody wrote: the body and the header, all of both.
TEST_F(Mlx, MutantsAreOfTheBodyAndTheHeader) {
  scratch_.write("scaled.reference.cpp", kScaledReference);
  scratch_.write("h.metal", "template <typename T>\nT times(T a, T b) {\n  return a * b;\n}\n");
  scratch_.write("b.metal",
                 "uint i = thread_position_in_grid.x;\n"
                 "out[i] = times(float(x[elem_to_loc(i, x_shape, x_strides, x_ndim)]), factor);\n");
  scratch_.write("m.toml", scaled("header = \"h.metal\"\ntemplate = { N = 3 }\nensure_row_contiguous = false",
                                  "[\"M * N\", 1, 1]"));
  const auto entries = run::load_manifest((scratch_ / "m.toml").string());
  const auto kernel = mutate::read_kernel(entries.at(0));
  std::set<std::string> files;
  for (const auto& one : kernel.mutations)
    files.insert(
        fs::path(kernel.tokens.files[kernel.tokens.tokens[one.first_token()].file]).filename().string());
  EXPECT_EQ(files, (std::set<std::string>{"b.metal", "h.metal"}));
  EXPECT_EQ(program({"mutate", "--cases", "20", "--manifest", (scratch_ / "m.toml").string()}).exit_code, 0)
      << words_;
  EXPECT_THAT(words_, Not(HasSubstr("<signature>")));
}

/// The blocks of docs/mlx.md whose first line is a comment that names a file, by that name.
std::map<std::string, std::string> documented_files() {
  std::map<std::string, std::string> files;
  const std::string page = read(kSource / "docs/mlx.md");
  const std::regex block("```[a-z]+\n(?:#|//) ([a-z_.]+)\n([^`]*)```");
  for (std::sregex_iterator one(page.begin(), page.end(), block), end; one != end; ++one)
    files[(*one)[1]] = (*one)[2];
  return files;
}

TEST_F(Mlx, DocumentedExamplePasses) {
  const auto files = documented_files();
  ASSERT_EQ(files.size(), 4u);
  for (const auto& [name, text] : files) scratch_.write(name, text);
  EXPECT_EQ(
      program({"verify", "--cases", "40", "--manifest", (scratch_ / "kernels.toml").string(), "scale_rows"})
          .exit_code,
      0)
      << words_;
}

TEST_F(Mlx, WholeFileSaysWhatToDo) {
  scratch_.write("h.metal", "");
  EXPECT_EQ(verify(bridge(), "#include <metal_stdlib>\n\nkernel void f(device half* C [[buffer(0)]]) {}\n"),
            2);
  EXPECT_THAT(words_, HasSubstr("m.toml:4: source: kernel marlin_gemm_fp4: "));
  EXPECT_THAT(words_, HasSubstr("b.metal:3 begins a kernel function"));
  EXPECT_THAT(words_, HasSubstr("Leave source_kind out"));
}

}  // namespace
}  // namespace assay::end_to_end
