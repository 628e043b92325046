// What kernels claim and what documents say, held against what is counted.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

const std::string kClaimedManifest = (kSource / "kernels/kernels.toml").string();

/// A stranger's kernel, with `claims` in its manifest.
class Claiming {
 public:
  explicit Claiming(const std::string& claims) {
    fs::copy(kSource / "tests/end_to_end/stranger", scratch_ / "theirs");
    std::ofstream(manifest(), std::ios::app) << "claims = { " << claims << " }\n";
  }
  std::string manifest() const { return (scratch_ / "theirs/theirs.toml").string(); }
  metal::ProcessResult run(const std::string& command, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {command, "--manifest", manifest()});
    return assay(more);
  }

 private:
  Scratch scratch_;
};

TEST(Claims, PageIsWhatAFreshRunWrites) {
  const auto page =
      assay({"claims", (kSource / "docs/claims.toml").string(), "--manifest", kClaimedManifest});
  ASSERT_EQ(page.exit_code, 0) << page.err;
  EXPECT_EQ(page.out, read(kSource / "docs/claims.md"))
      << "docs/claims.md is stale; write it anew: assay claims docs/claims.toml > docs/claims.md";
}

TEST(Claims, ProfileShowsThemBesideWhatIsMeasured) {
  const Claiming kernel("loads_of_A = 1, threadgroup_bytes = 17");
  const auto result = kernel.run("profile");
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, ContainsRegex("loads_of_A +1 +1  agrees"));
  EXPECT_THAT(result.out, ContainsRegex("threadgroup_bytes +[0-9,]+ +17  claim differs"));
  EXPECT_THAT(result.out, HasSubstr("0 of 1 kernels do what they claim"));
}

TEST(Claims, FalseOneIsRejectedInEveryMode) {
  const Claiming kernel("threadgroup_bytes = 17");
  for (const char* mode : {"fast", "checked", "both"}) {
    const auto result = kernel.run("verify", {"--mode", mode, "--cases", "60"});
    EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
    EXPECT_THAT(result.out, HasSubstr("claim differs"));
    EXPECT_THAT(result.out, HasSubstr("threadgroup_bytes is claimed to be 17; measured: "));
  }
}

TEST(Claims, TrueOnesPass) {
  const auto result = Claiming("loads_of_A = 1, threadgroup_bytes = 6144").run("verify", {"--cases", "60"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST(Claims, KernelWithoutThemIsNotSaidToKeepThem) {
  const auto result =
      assay({"profile", "--manifest", (kSource / "tests/end_to_end/stranger/theirs.toml").string()});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("0 of 0 kernels do what they claim; 1 claim nothing"));
}

TEST(Claims, OfAVariableThatTheKernelLacksDiffers) {
  const auto result = Claiming("reads_of_nothing = 1").run("profile");
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, ContainsRegex("reads_of_nothing +nothing +1  claim differs"));
}

void expect_one_line(const metal::ProcessResult& result, const std::vector<std::string>& parts) {
  EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  for (const auto& part : parts) EXPECT_THAT(result.err, HasSubstr(part));
}

TEST(Claims, OfWhatIsNotCountedIsAnError) {
  const Claiming kernel("registers = 3");
  for (const char* command : {"profile", "verify"}) {
    expect_one_line(kernel.run(command), {"theirs.toml:", "claims.registers", "occupancy"});
  }
}

TEST(Claims, KernelThatCannotBeCountedIsNotGreen) {
  const Scratch scratch;
  scratch.write("k.metal", kernel_text("  this is no Metal"));
  const auto manifest = scratch.write("m.toml", manifest_of("k.metal", "k"));
  const auto result = assay({"profile", "--manifest", manifest.string()});
  EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("k: error: "));
}

/// A page of these figures.
metal::ProcessResult page_of(const std::string& figures, const std::string& tables) {
  const Scratch scratch;
  const auto file = scratch.write(
      "f.toml", tables + "\n[[document]]\nname = \"1\"\ntitle = \"one\"\nfigure = [" + figures + "]\n");
  return assay({"claims", file.string(), "--manifest", kClaimedManifest});
}

/// A page of one figure of a kernel.
metal::ProcessResult page(const std::string& figure, const std::string& reasons = "") {
  return page_of("{ section = \"2\", of = \"memory\", kernel = \"dequant_fp4\", " + figure + " }",
                 "[reason]\n" + reasons);
}

/// A page of one figure that no kernel has to run for.
metal::ProcessResult page_without_kernel(const std::string& figure, const std::string& tables = "") {
  return page_of("{ section = \"2\", of = \"time\", " + figure + " }", tables);
}

TEST(Claims, FigureThatDiffersNeedsAReason) {
  expect_one_line(page("says = 1, measured = \"threadgroup_bytes\""),
                  {"f.toml:6", "says 1, but 0 is measured"});
}

TEST(Claims, FigureThatAgreesHasNone) {
  expect_one_line(page("says = 0, measured = \"threadgroup_bytes\", reason = \"r\"", "r = \"because\""),
                  {"f.toml:6", "leave the reason out"});
}

TEST(Claims, FigureThatDiffersIsListedWithItsReason) {
  const auto result = page("says = 1, measured = \"threadgroup_bytes\", reason = \"r\"", "r = \"because\"");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("| 2 | memory | dequant_fp4 | 1 | 0 | **differs** (1) |"));
  EXPECT_THAT(result.out, HasSubstr("\n1. because\n"));
}

TEST(Claims, BadFiguresAreErrorsAtTheirLine) {
  expect_one_line(page("says = 1, measured = \"registers\""), {"f.toml:6", "registers"});
  expect_one_line(page("says = 1"), {"f.toml:6", "figure.measured"});
  expect_one_line(page("says = 1, measured = \"1 +\""), {"f.toml:6", "figure.measured"});
  expect_one_line(page("says = 1, measured = \"threads\", reason = \"r\""), {"f.toml:6", "reason"});
  expect_one_line(page("says = 1, measured = \"against.threadgroup_bytes\", against = \"gone\""),
                  {"f.toml:6", "gone"});
}

// Guards against a figure that is written down twice and called measured.
TEST(Claims, ANumberAloneMeasuresNothing) {
  expect_one_line(page("says = 128, measured = \"128\""),
                  {"f.toml:6", "figure.measured", "names no counter"});
  for (const char* number : {"70", "-7", "(7e1)"}) {
    expect_one_line(page_without_kernel(std::string("says = 70, computed = \"") + number + "\""),
                    {"f.toml:5", "figure.computed", "is a single number"});
  }
}

TEST(Claims, WhatIsComputedShowsItsArithmeticAndIsHeldAgainstIt) {
  const auto result =
      page_without_kernel("says = 0.07, unit = \"ms\", computed = \"7e9 / 1e11 * 1000\", reason = \"r\"",
                          "reason = { r = \"because\" }");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              HasSubstr("| 2 | time | `7e9 / 1e11 * 1000` | 0.07 ms | 70 ms | **differs** (1) |"));
  EXPECT_THAT(result.out, HasSubstr("| 1 | 1 | 0 | 1 | 0 | 0 | 0 | 1 |"));
  expect_one_line(page_without_kernel("says = 0.07, computed = \"7e9 / 1e11 * 1000\""),
                  {"f.toml:5", "says 0.07, but 70 is measured"});
}

TEST(Claims, FiguresOfFormatsAreThoseOfTheReference) {
  for (const char* figure :
       {"says = 0.5, computed = \"format.fp4_twice_1 / 2\"",
        "says = 6, computed = \"format.fp4_twice_7 / 2\"",
        "says = 28, computed = \"format.first_bit_of_code_7\"",
        "says = 25600, computed = \"format.half_of_1024\"", "says = 8, computed = \"format.s4_code_of_zero\"",
        "says = 96, computed = \"format.trellis_tile_bytes_3\"",
        "says = 21, computed = \"format.trellis_first_bit_3_7\"",
        "says = 2, computed = \"format.trellis_bytes_3_5\"",
        "says = 4096, computed = \"format.rans_slots\""}) {
    const auto result = page_without_kernel(figure);
    EXPECT_EQ(result.exit_code, 0) << figure << result.err;
    EXPECT_THAT(result.out, HasSubstr("| 1 | 1 | 1 | 0 | 0 | 0 | 1 | 0 |")) << figure;
  }
}

TEST(Claims, WhatCannotBeMeasuredIsListedWithItsReason) {
  const auto result = page_without_kernel("says = [15, 20], unit = \"cycles\", unmeasurable = \"u\"",
                                          "unmeasurable = { u = \"no clock\" }");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("| 2 | time | 15 to 20 cycles | (1) |"));
  EXPECT_THAT(result.out, HasSubstr("\n1. no clock\n"));
  EXPECT_THAT(result.out, HasSubstr("| 1 | 1 | 0 | 0 | 1 | 0 | 0 | 0 |"));
  expect_one_line(page_without_kernel("says = 1, unmeasurable = \"u\""),
                  {"f.toml:5", "not a key of [unmeasurable]"});
  expect_one_line(
      page_without_kernel("says = 1, computed = \"1 + 1\"", "unmeasurable = { u = \"no clock\" }"),
      {"f.toml:1", "unmeasurable.u", "no figure refers to it"});
}

// Of each figure one source: a kernel beside arithmetic, or a reason beside what is not measured, is a slip.
TEST(Claims, AFigureHasOneSource) {
  const std::string u = "unmeasurable = { u = \"no clock\" }";
  expect_one_line(page_without_kernel("says = 1, unmeasurable = \"u\", kernel = \"dequant_fp4\"", u),
                  {"f.toml:5", "figure.kernel"});
  expect_one_line(page_without_kernel("says = 1, unmeasurable = \"u\", computed = \"2 / 2\"", u),
                  {"f.toml:5", "figure.unmeasurable"});
  expect_one_line(page_without_kernel("says = 1, unmeasurable = \"u\", reason = \"u\"", u),
                  {"f.toml:5", "figure.reason"});
  expect_one_line(page_without_kernel("says = 1"), {"f.toml:5", "figure.kernel"});
}

}  // namespace
}  // namespace assay::end_to_end
