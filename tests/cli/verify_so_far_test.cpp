// What a verification says of kernels when it is interrupted.
#include "cli/verify_so_far.hpp"

#include <gmock/gmock.h>

#include "tests/report/results_of.hpp"

namespace assay::cli {
namespace {

using report::kChecked;
using report::kContracted;
using report::kFast;
using report::mode_report;

class SoFar : public testing::Test {
 protected:
  SoFar() {
    first_.name = "first";
    second_.name = "second";
    run::Standing standing;
    standing.cases = 740;
    standing.seconds = 12;
    so_far_.at(standing);
  }

  KernelEntry first_, second_;
  VerifySoFar so_far_{{&first_, &second_}};
};

TEST_F(SoFar, NothingIsFinishedAtFirst) {
  EXPECT_EQ(so_far_.words(),
            "0 of 2 kernels passed, 0 were rejected, 2 were not finished; 740 cases in 12 s");
}

// Its row waits for the kernel before it. It was said not to be finished.
TEST_F(SoFar, AKernelHasPassedOnceItsLastModeHas) {
  so_far_.add(second_, mode_report(kFast, Verdict::pass), false);
  EXPECT_THAT(so_far_.words(), testing::StartsWith("0 of 2 kernels passed, 0 were rejected, 2 were not "));
  so_far_.add(second_, mode_report(kChecked, Verdict::pass), true);
  EXPECT_THAT(so_far_.words(), testing::StartsWith("1 of 2 kernels passed, 0 were rejected, 1 was not "));
  EXPECT_EQ(so_far_.results().plain(), "second fast: pass\nsecond checked: pass\n");
  so_far_.announced(second_);
  EXPECT_EQ(so_far_.results().plain(), "");
}

TEST_F(SoFar, AKernelIsRejectedAsSoonAsOneModeRejectsIt) {
  so_far_.add(first_, mode_report(kChecked, Verdict::race), false);
  EXPECT_THAT(so_far_.words(), testing::StartsWith("0 of 2 kernels passed, 1 was rejected, 1 was not "));
  EXPECT_THAT(so_far_.results().plain(), testing::HasSubstr("first checked: race\n"));
}

// It was counted as not finished.
TEST_F(SoFar, AKernelThatCouldNotBeJudgedIsCountedAsSuch) {
  so_far_.add(first_, mode_report(kFast, Verdict::unsupported), true);
  EXPECT_EQ(so_far_.words(),
            "0 of 2 kernels passed, 0 were rejected, 1 could not be judged, 1 was not finished; 740 cases in "
            "12 s");
}

// Its report is that of a mode that did not run, which would be an error.
TEST_F(SoFar, AModeOfTheSameCodeAsAnotherSaysNothing) {
  run::ModeReport same;
  same.mode = kContracted;
  same.same_as_strict = true;
  so_far_.add(first_, same, false);
  EXPECT_EQ(so_far_.results().plain(), "");
  so_far_.add(first_, mode_report(kFast, Verdict::pass), true);
  EXPECT_THAT(so_far_.words(), testing::StartsWith("1 of 2 kernels passed, "));
}

TEST(StepText, HasNoPluralOfOne) {
  KernelEntry entry;
  entry.name = "k";
  auto report = mode_report(kFast, Verdict::pass);
  report.cases_run = 1;
  report.seconds = 2;
  EXPECT_EQ(step_text(entry, report), "k fast: pass, 1 case in 2.0 s, 0.5 a second\n");
}

}  // namespace
}  // namespace assay::cli
