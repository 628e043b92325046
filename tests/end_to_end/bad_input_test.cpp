// Bad input: one line that names file, line and field, and exit status 2.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// One line on standard error that has all of `parts`.
void expect_refused(const metal::ProcessResult& result, const std::vector<std::string>& parts) {
  EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  for (const auto& part : parts) EXPECT_THAT(result.err, HasSubstr(part));
}

TEST(BadInput, ManifestThatDoesNotExist) {
  expect_refused(assay({"verify", "--manifest", "no/such/file.toml"}), {"no/such/file.toml"});
}

TEST(BadInput, ManifestThatIsNotToml) {
  const Scratch scratch;
  const auto manifest = scratch.write("bad.toml", "[[kernel]]\nname = \"a\nsource = 1\n");
  expect_refused(assay({"verify", "--manifest", manifest.string()}), {"bad.toml:2"});
}

TEST(BadInput, UnknownOperation) {
  const Scratch scratch;
  scratch.write("k.metal", kernel_text(""));
  std::string text = manifest_of("k.metal", "k");
  text.replace(text.find("gemm_fp4"), 8, "gemm_fp5");
  const auto manifest = scratch.write("bad.toml", text);
  expect_refused(assay({"verify", "--manifest", manifest.string()}),
                 {"bad.toml:4", "operation", "gemm_fp5", "gemm_fp4"});
}

TEST(BadInput, ArgumentThatTheOperationLacks) {
  const Scratch scratch;
  scratch.write("k.metal", kernel_text(""));
  std::string text = manifest_of("k.metal", "k");
  text.replace(text.find("\"scales\""), 8, "\"zeros\"");
  const auto manifest = scratch.write("bad.toml", text);
  expect_refused(assay({"verify", "--manifest", manifest.string()}),
                 {"bad.toml:5", "arguments", "zeros", "scales"});
}

TEST(BadInput, KernelSourceThatDoesNotExist) {
  const Scratch scratch;
  const auto manifest = scratch.write("bad.toml", manifest_of("gone.metal", "k"));
  expect_refused(assay({"verify", "--manifest", manifest.string()}), {"bad.toml:3", "source", "gone.metal"});
}

TEST(BadInput, KernelNameThatTheManifestLacks) {
  expect_refused(assay({"verify", "--manifest", (kSource / "kernels/kernels.toml").string(), "marlin_gem"}),
                 {"marlin_gem", "marlin_gemm_fp4"});
}

TEST(BadInput, UnknownOption) {
  EXPECT_EQ(assay({"verify", "--casse", "7"}).exit_code, 2);
  EXPECT_EQ(assay({"verify", "--cases", "0"}).exit_code, 2);
  EXPECT_EQ(assay({}).exit_code, 2);
}

TEST(BadInput, ReplayLineWithAHole) {
  const std::string manifest = (kSource / "kernels/kernels.toml").string();
  expect_refused(assay({"replay", "kernel=dequant_fp4 mode=fast operation=dequantize_fp4 K=1"}),
                 {"manifest"});
  expect_refused(
      assay({"replay", "kernel=dequant_fp4 manifest=" + manifest +
                           " mode=fast operation=dequantize_fp4 K=one N=1 group_size=8 regime=any seed=1"}),
      {"K"});
}

// What can only be seen when the kernel is compiled is a verdict on it, in the table and below it.
void expect_not_judged(const metal::ProcessResult& result, const std::vector<std::string>& parts) {
  EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
  for (const auto& part : parts) EXPECT_THAT(result.out, HasSubstr(part));
}

TEST(BadInput, MetalThatDoesNotCompile) {
  const Scratch scratch;
  scratch.write("k.metal", kernel_text("  C[i] = undeclared_name;"));
  const auto manifest = scratch.write("m.toml", manifest_of("k.metal", "k"));
  expect_not_judged(assay({"verify", "--manifest", manifest.string()}), {"k.metal:8", "undeclared_name"});
}

TEST(BadInput, MetalFeatureThatIsNotSupported) {
  const Scratch scratch;
  scratch.write("k.metal", kernel_text("  texture2d_ms_array<float> t; C[i] = 0;"));
  const auto manifest = scratch.write("m.toml", manifest_of("k.metal", "k"));
  expect_not_judged(assay({"verify", "--manifest", manifest.string()}),
                    {"unsupported", "k.metal:8", "texture2d_ms_array"});
}

TEST(BadInput, FunctionThatTheSourceLacks) {
  const Scratch scratch;
  scratch.write("k.metal", kernel_text(""));
  const auto manifest = scratch.write("m.toml", manifest_of("k.metal", "kk"));
  expect_not_judged(assay({"verify", "--manifest", manifest.string()}), {"k.metal", "`kk`", "k"});
}

// A manifest of the kernel of kernel_text() with one line replaced, or added.
std::string with_line(const std::string& field, const std::string& line) {
  std::string text = manifest_of("k.metal", "k");
  const auto at = text.find("\n" + field + " = ");
  if (at == std::string::npos) return text + line + "\n";
  return text.replace(at + 1, text.find('\n', at + 1) - at - 1, line);
}

metal::ProcessResult verified(const Scratch& scratch, const std::string& manifest, const std::string& text) {
  scratch.write("k.metal", text);
  return assay({"verify", "--cases", "2", "--manifest", scratch.write("m.toml", manifest).string()});
}

TEST(BadInput, ManifestThatAsksForWhatCannotBe) {
  const Scratch scratch;
  const std::string text = kernel_text("");
  const std::string name(100000, 'n');
  for (const auto& [manifest, said] : std::vector<std::pair<std::string, std::string>>{
           {with_line("grid", "grid = [1, 1]"), "m.toml:8: grid: has 2 sizes"},
           {with_line("grid", "grid = [\"ceil(N)\", 1, 1]"), "m.toml:8: grid[0]: expression \"ceil(N)\""},
           {with_line("name", "name = \"" + name + "\""), "m.toml:2: name: has 100000 characters"},
           {with_line("name", "name = \"\\u001b[2J\""), "m.toml:2: name: \"\\x1b[2J\" holds a control"},
           {with_line("source", "source = \"k.metal\\u0000\""), "m.toml:3: source: \"k.metal\\x00\" holds"},
           {with_line("source", "source = \".\""), "is a directory; name a .metal file"},
           {with_line("include_dirs", "include_dirs = [\"gone\"]"), "m.toml:9: include_dirs[0]: kernel k: "},
           {with_line("include_dirs", "include_dirs = [\"k.metal\"]"), "is not a directory"},
           {with_line("requires", "requires = { K_multiple = 99999999 }"),
            "m.toml:9: requires: kernel k: the smallest"},
           {with_line("claims", "claims = { speed = 3 }"),
            "m.toml:9: claims.speed: kernel k: nothing of this name"},
       }) {
    expect_refused(verified(scratch, manifest, text), {said});
  }
}

TEST(BadInput, FaultyEntryBlocksOnlyThoseWhoAskForIt) {
  const Scratch scratch;
  scratch.write("k.metal", kernel_text("  C[i] = undeclared_name;"));
  std::string faulty = manifest_of("k.metal", "faulty");
  faulty.replace(faulty.find("threads_per_threadgroup = 32"), 28, "threads_per_threadgroup = 0");
  const auto manifest = scratch.write("m.toml", manifest_of("k.metal", "k") + faulty).string();
  expect_refused(assay({"verify", "--manifest", manifest}), {"m.toml:14: threads_per_threadgroup: "});
  expect_refused(assay({"verify", "faulty", "--manifest", manifest}),
                 {"m.toml:14: threads_per_threadgroup: "});
  expect_not_judged(assay({"verify", "k", "--manifest", manifest}), {"k.metal:8", "undeclared_name"});
  const auto listed = assay({"list", "--manifest", manifest});
  expect_refused(listed, {"m.toml:14: threads_per_threadgroup: "});
  EXPECT_THAT(listed.out, AllOf(HasSubstr("\nk "), HasSubstr("\nfaulty ")));
}

TEST(BadInput, ManifestThatTheKernelBelies) {
  const Scratch scratch;
  const std::string text = kernel_text("  if (i == 0) C[0] = 0;");
  const std::string arguments = "\"A\", \"B\", \"scales\", \"C\", \"M\", \"N\", \"K\", \"group_size\"";
  scratch.write("spare.h", "");
  for (const auto& [manifest, said] : std::vector<std::pair<std::string, std::string>>{
           {with_line("arguments", "arguments = [" + arguments + ", \"M\"]"),
            "m.toml:5: arguments[8]: kernel k: k has no [[buffer(8)]]"},
           {with_line("arguments", "arguments = [" + arguments + ", \"-\"]"), "m.toml:5: arguments[8]: "},
           {with_line("arguments", "arguments = [\"A\", \"B\", \"scales\", \"C\", \"M\", \"N\", \"K\"]"),
            "m.toml:5: arguments: kernel k: parameter `group_size` at [[buffer(7)]] has nothing bound to it"},
           {with_line("threadgroup_memory", "threadgroup_memory = [1024]"),
            "m.toml:9: threadgroup_memory[0]: kernel k: k has no [[threadgroup(0)]]"},
           {with_line("function_constants", "function_constants = { 3 = true }"),
            "m.toml:9: function_constants.3: kernel k: k uses no [[function_constant(3)]]"},
           {with_line("include_dirs", "include_dirs = [\".\"]"),
            "m.toml:9: include_dirs[0]: kernel k: k.metal includes nothing"},
           {with_line("claims", "claims = { reads_of_tile = 1 }"),
            "m.toml:9: claims.reads_of_tile: kernel k: k has no variable tile"},
           {with_line("grid", "grid = [4294967295, 4294967295, 4294967295]"),
            "m.toml:8: grid: kernel k: 4294967295 x 4294967295 x 4294967295 threadgroups"},
       }) {
    expect_not_judged(verified(scratch, manifest, text), {said});
  }
}

TEST(BadInput, TwoParametersAtOneIndex) {
  const Scratch scratch;
  std::string text = kernel_text("  if (i == 0) C[0] = 0;");
  text.replace(text.find("buffer(2)"), 9, "buffer(0)");
  expect_not_judged(verified(scratch, manifest_of("k.metal", "k"), text),
                    {"k.metal:4: ", "`scales`: [[buffer(0)]] is taken by an earlier parameter"});
}

TEST(BadInput, GoldenFileCutShort) {
  const Scratch scratch;
  ASSERT_EQ(assay({"golden", "make", "--operation", "gemm_fp4", "--seed", "3", "--cases", "2", "--out",
                   (scratch / "set").string()})
                .exit_code,
            0);
  const auto file = fs::directory_iterator(scratch / "set")->path();
  fs::resize_file(file, fs::file_size(file) / 2);
  expect_refused(assay({"golden", "check", (scratch / "set").string()}), {file.filename().string()});
}

}  // namespace
}  // namespace assay::end_to_end
