// What fuzzing says of how far it has come.
#include "harness/fuzz/fuzz_text.hpp"

#include <gmock/gmock.h>

#include "tests/fuzzing/scratch.hpp"

namespace assay::fuzz {
namespace {

FuzzStatus status() {
  FuzzStatus now;
  now.cases = 500;
  now.seconds = 4;
  now.kernels = 2;
  now.modes = 4;
  now.round = 3;
  now.findings = 5;
  now.fresh = 1;
  return now;
}

TEST(FuzzText, SaysHowFarItHasCome) {
  auto now = status();
  EXPECT_EQ(progress_text(now, "k fast"),
            "500 cases, 125 a second, in round 4, 2 kernels x 4 modes, 5 findings, 1 new: k fast");
  now.share = 0.25;
  EXPECT_THAT(progress_text(now, "k fast"), testing::HasSubstr("125 a second, about 12 s left, in round 4"));
  EXPECT_EQ(end_text(status()),
            "500 cases in 4.0 s, 125 a second: 2 kernels x 4 modes, 5 findings, 1 of them new\n");
}

TEST(FuzzText, SaysWhatBecameOfARound) {
  KernelEntry entry;
  entry.name = "k";
  run::ModeReport report;
  report.mode = run::Mode::checked;
  report.verdict = Verdict::race;
  report.cases_run = 7;
  report.seconds = 0.25;
  EXPECT_EQ(round_text(entry, 1200, report), "round 1,201: k checked: race, 7 cases in 0.2 s\n");
}

// It has no cases and no verdict, and "error, 0 cases" would be taken for a fault.
TEST(FuzzText, SaysNothingOfAModeThatDidNotRun) {
  run::ModeReport report;
  report.same_as_strict = true;
  EXPECT_EQ(round_text(KernelEntry{}, 0, report), "");
}

TEST(FuzzText, SpeaksOfFindingsOfEarlierTextsWhereThereAreSome) {
  auto now = status();
  now.outdated = 1;
  EXPECT_THAT(end_text(now), testing::HasSubstr("\n1 finding belongs to other kernels or to earlier texts"));
  now.outdated = 6;
  EXPECT_THAT(end_text(now), testing::HasSubstr("\n6 findings belong to other kernels or to earlier texts"));
}

TEST(FuzzText, NamesAFindingByItsFile) {
  const Scratch scratch;
  const FindingsDirectory directory(scratch / "f", 17);
  EXPECT_EQ(start_text(directory), fmt::format("seed 17; findings go to {}, which has 0 from earlier runs\n",
                                               (scratch / "f").string()));
  KeptFinding finding;
  finding.kernel = "k";
  finding.mode = "fast";
  finding.cause = "out of bounds";
  EXPECT_EQ(finding_text("new", finding, directory),
            fmt::format("new: k, fast: out of bounds: {}\n", directory.file_of(finding).string()));
}

}  // namespace
}  // namespace assay::fuzz
