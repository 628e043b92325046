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
  EXPECT_EQ(progress_text(status(), "k fast"),
            "500 cases, 125.0/s, 2 kernels x 4 modes, round 3, 5 findings, 1 new: k fast");
  EXPECT_EQ(end_text(status()),
            "500 cases in 4.0 s, 125.0 a second: 2 kernels x 4 modes, 5 findings, 1 of them new\n");
}

TEST(FuzzText, SpeaksOfFindingsOfEarlierTextsWhereThereAreSome) {
  auto now = status();
  now.outdated = 6;
  EXPECT_THAT(end_text(now), testing::HasSubstr("\n6 findings are of other kernels or of earlier texts"));
}

TEST(FuzzText, NamesAFindingByItsFile) {
  const Scratch scratch;
  const FindingsDirectory directory(scratch / "f", 17);
  EXPECT_EQ(start_text(directory),
            fmt::format("seed 17, findings in {}: 0 from earlier runs\n", (scratch / "f").string()));
  KeptFinding finding;
  finding.kernel = "k";
  finding.mode = "fast";
  finding.cause = "out of bounds";
  EXPECT_EQ(finding_text("new", finding, directory),
            fmt::format("new: k, fast: out of bounds: {}\n", directory.file_of(finding).string()));
}

}  // namespace
}  // namespace assay::fuzz
