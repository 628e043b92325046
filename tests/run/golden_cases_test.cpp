// Which files of a golden set a kernel is run on, and what is said of the others.
#include "harness/run/golden_cases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/run/plan.hpp"
#include "harness/run/replay_line.hpp"
#include "properties/cases/operation.hpp"
#include "properties/large/part.hpp"
#include "tests/error_of.hpp"
#include "tests/large/entries.hpp"

namespace assay::run {
namespace {

using properties::Case;
using properties::testing::gemm_entry;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

golden::FileSummary file(const std::string& name, std::int64_t M, std::int64_t N, std::int64_t K,
                         const std::string& operation = "gemm_fp4") {
  return {"set/" + name,
          operation,
          {{"M", M}, {"N", N}, {"K", K}, {"group_size", 32}},
          "random",
          {Precision::half_precision, Precision::float_precision}};
}

TEST(GoldenCases, AreTheFilesOfTheOperation) {
  const GoldenSet set{"set", {file("a", 1, 8, 32), file("b", 5, 40, 64), file("c", 1, 8, 32, "gemm_u4")}};
  const auto golden = golden_cases(gemm_entry("\"tiles\""), set);
  ASSERT_EQ(golden.cases.size(), 2u);
  EXPECT_EQ(golden.cases[1].golden, "set/b");
  EXPECT_EQ(golden.cases[1].dims, set.files[1].dims);
  EXPECT_TRUE(golden.cases[1].part.empty());
  EXPECT_THAT(golden.notes, IsEmpty());
  EXPECT_THAT(error_of([&] {
                golden_cases(gemm_entry("\"tiles\""), {"set", {set.files[2]}});
              }),
              HasSubstr("set holds no file of operation gemm_fp4"));
}

TEST(GoldenCases, LeaveOutWhatTheKernelDoesNotTakeAndCountIt) {
  const KernelEntry entry = gemm_entry("\"tiles\"", "requires = { M_max = 4 }\n");
  const GoldenSet set{"set", {file("a", 1, 8, 32), file("b", 5, 40, 64), file("c", 6, 40, 64)}};
  const auto golden = golden_cases(entry, set);
  EXPECT_EQ(golden.cases.size(), 1u);
  ASSERT_EQ(golden.notes.size(), 1u);
  EXPECT_THAT(golden.notes.front(), HasSubstr("2 of 3 files were left out: set/b: "));
  EXPECT_THAT(error_of([&] {
                golden_cases(entry, {"set", {set.files[1], set.files[2]}});
              }),
              HasSubstr("the kernel takes none of the 2 files of operation gemm_fp4 in set; set/b: "));
}

// Sums of values that are finite in a float are infinite in a half.
TEST(GoldenCases, LeaveOutValuesThatTheKernelIsNotAsked) {
  const auto& regimes = properties::find_operation("gemm_fp4").declaration().regimes;
  const auto unsafe =
      std::find_if(regimes.begin(), regimes.end(), [](const auto& one) { return !one.half_sums_safe; });
  ASSERT_NE(unsafe, regimes.end());
  GoldenSet set{"set", {file("a", 1, 8, 32), file("b", 1, 8, 32)}};
  set.files[1].regime = unsafe->name;
  for (auto& one : set.files) one.arithmetic.accumulate = Precision::half_precision;
  const auto entry = gemm_entry("\"tiles\"", "arithmetic = { accumulate = \"half\" }\n");
  const auto golden = golden_cases(entry, set);
  EXPECT_EQ(golden.cases.size(), 1u);
  EXPECT_THAT(golden.notes,
              ElementsAre(HasSubstr("the kernel is not run on values of regime " + unsafe->name)));
  set.files[1].regime = "weights_of_a_model";  // none of the operation's: nobody is excused from it
  EXPECT_EQ(golden_cases(entry, set).cases.size(), 2u);
}

// A bound of sums whose products are regrouped is known for values that are drawn: drawn runs ask no others.
TEST(GoldenCases, OfPlannedValuesAreRunInStrictArithmetic) {
  const auto& planned = properties::find_operation("gemm_fp4").declaration().planned;
  ASSERT_FALSE(planned.empty());
  GoldenSet set{"set", {file("a", 1, 8, 32), file("b", 1, 8, 32)}};
  set.files[1].regime = planned.front().regime.name;
  const auto entry = gemm_entry("\"tiles\"");
  EXPECT_EQ(golden_cases(entry, set, 1, Mode::fast).cases.size(), 2u);
  EXPECT_EQ(golden_cases(entry, set, 1, Mode::checked).cases.size(), 2u);
  const auto regrouped = golden_cases(entry, set, 1, Mode::reassociated);
  EXPECT_EQ(regrouped.cases.size(), 1u);
  EXPECT_THAT(regrouped.notes, ElementsAre(HasSubstr("1 of 2 files have planned values (set/b: regime ")));
  EXPECT_FALSE(has_golden_cases(entry, {"set", {set.files[1]}}, 1, Mode::contracted));
}

TEST(GoldenCases, SayWhichWereMadeForOtherArithmetic) {
  GoldenSet set{"set", {file("a", 1, 8, 32), file("b", 1, 8, 32)}};
  set.files[1].arithmetic.accumulate = Precision::half_precision;
  EXPECT_THAT(golden_cases(gemm_entry("\"tiles\""), set).notes,
              ElementsAre(HasSubstr("1 of 2 files were made for other arithmetic (set/b: dequantize = half, "
                                    "accumulate = half")));
}

// Corners first and last, so that both ends of every dimension of the outputs are run.
TEST(GoldenCases, OfALargeFileArePartsFromEndToEnd) {
  const GoldenSet set{"set", {file("a", 8, 14'336, 4'096)}};
  const auto entry = gemm_entry("\"tiles\"");
  const auto golden = golden_cases(entry, set);
  ASSERT_EQ(golden.cases.size(), kMostParts);
  EXPECT_THAT(golden.notes,
              ElementsAre(HasSubstr("1 of 1 files are too large to be run whole (set/a: 8 parts")));
  for (const Case& one : golden.cases) {
    EXPECT_LE(one.dims.at("M") * one.dims.at("N") * one.dims.at("K"), 1 << 23);
    EXPECT_EQ(one.dims.at("K"), 4'096) << "the file's answers are sums of all of K";
    EXPECT_EQ(one.dims.at("N"), static_cast<std::int64_t>(one.part.at("N").end - one.part.at("N").begin));
    const auto line = parse_replay_line(replay_line(entry, Mode::fast, one));
    EXPECT_EQ(line.test_case, one);
    EXPECT_NO_THROW(check_replay(line, entry));
  }
  EXPECT_EQ(golden.cases.front().part.at("N").begin, 0u);
  EXPECT_EQ(golden.cases.back().part.at("N").end, 14'336u);
  const auto whole = golden_cases(entry, set, 64).cases;
  ASSERT_EQ(whole.size(), 1u) << "a budget runs it whole";
  EXPECT_TRUE(whole.front().part.empty());
}

TEST(GoldenCases, OfADirectoryThatHasNoneAreRefused) {
  EXPECT_THAT(error_of<std::runtime_error>([] { read_golden_set("/no/such/directory"); }),
              HasSubstr("/no/such/directory: cannot be read as a directory"));
  EXPECT_THAT(error_of<std::runtime_error>([] { read_golden_set(ASSAY_SOURCE_DIR "/golden"); }),
              HasSubstr("has no *.safetensors file"));
}

// Every kernel of ours has files in the set of ours, so that none goes untested without a word.
TEST(GoldenCases, OfOurSetAreForEachOfOurKernels) {
  const auto set = read_golden_set(ASSAY_SOURCE_DIR "/golden/sets");
  for (const auto& entry : properties::testing::our_kernels()) {
    const auto golden = golden_cases(entry, set);
    EXPECT_FALSE(golden.cases.empty()) << entry.name;
    for (const Case& one : golden.cases) EXPECT_FALSE(entry.unmet_requirement(one.dims)) << entry.name;
  }
}

TEST(GoldenCases, AreNotMixedWithOthers) {
  const KernelEntry entry = gemm_entry("\"tiles\"");
  Request request;
  request.golden = ASSAY_SOURCE_DIR "/golden/sets";
  request.at = {"M=1"};
  EXPECT_THAT(error_of([&] { plan(request, {&entry}); }),
              HasSubstr("--golden: golden files replace drawn cases"));
}

}  // namespace
}  // namespace assay::run
