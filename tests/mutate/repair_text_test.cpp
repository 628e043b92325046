// What is said of a kernel that was to be repaired.
#include "harness/mutate/repair_text.hpp"

#include <gmock/gmock.h>

namespace assay::mutate {
namespace {

TEST(RepairText, OfAKernelThatPassesIsALine) {
  EXPECT_EQ(repair_text("k", {}, 200), "k: passes 200 cases; there is nothing to repair\n");
}

TEST(RepairText, SaysHowTheKernelIsRejectedAndWhatLetsItPass) {
  Repairs repairs{"race", "checked", 3, 40, {}};
  EXPECT_THAT(repair_text("k", repairs, 200),
              testing::StartsWith("k: race in checked mode, case 3\n  none of 40 single changes lets it "
                                  "pass: the fault needs a change that "
                                  "is none of these, or several"));
  const ChangedLines change{"k.metal", 7, {"a = 1;"}, {"a = 2;"}};
  repairs.found = {change};
  EXPECT_EQ(repair_text("k", repairs, 200),
            "k: race in checked mode, case 3\n"
            "  of 40 single changes, 1 lets all 200 cases pass in every mode:\n" +
                change.diff() + "\n");
}

}  // namespace
}  // namespace assay::mutate
