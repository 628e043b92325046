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
  scratch.write("k.metal", kernel_text("  texture2d<float> t; C[i] = 0;"));
  const auto manifest = scratch.write("m.toml", manifest_of("k.metal", "k"));
  expect_not_judged(assay({"verify", "--manifest", manifest.string()}),
                    {"unsupported", "k.metal:8", "texture2d"});
}

TEST(BadInput, FunctionThatTheSourceLacks) {
  const Scratch scratch;
  scratch.write("k.metal", kernel_text(""));
  const auto manifest = scratch.write("m.toml", manifest_of("k.metal", "kk"));
  expect_not_judged(assay({"verify", "--manifest", manifest.string()}), {"k.metal", "`kk`", "k"});
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
