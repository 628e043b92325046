// What is said of a kernel that was counted, and of what it claims.
#include "harness/profile/profile_text.hpp"

#include <gmock/gmock.h>

namespace assay::profile {
namespace {

using testing::HasSubstr;

class ProfileText : public testing::Test {
 protected:
  ProfileText() {
    entry_.name = "k";
    entry_.operation = "gemm_fp4";
    entry_.claims = {{"threadgroup_bytes", 8192}};
  }
  ProfileTask counted(double bytes) const {
    ProfileTask task{&entry_, {}, {}, {}};
    task.result.figures = {{"threadgroup_bytes", bytes}};
    return task;
  }
  ProfileTask failed() const { return {&entry_, {}, {}, "the launch had faults"}; }

  KernelEntry entry_;
};

TEST_F(ProfileText, HoldsClaimsAgainstWhatWasCounted) {
  EXPECT_THAT(profile_text(counted(8192)), HasSubstr("  threadgroup_bytes     8,192    8,192  agrees\n"));
  EXPECT_THAT(profile_text(counted(16)),
              HasSubstr("  threadgroup_bytes        16    8,192  claim differs\n"));
  EXPECT_EQ(profile_text(failed()), "k: error: the launch had faults\n\n");
}

TEST_F(ProfileText, OfAClaimThatWasNotCountedSaysSo) {
  const ProfileTask task{&entry_, {}, {}, {}};
  EXPECT_THAT(profile_text(task), HasSubstr("  threadgroup_bytes   nothing    8,192  claim differs\n"));
}

TEST_F(ProfileText, AClaimThatDiffersWeighsMoreThanWhatCouldNotBeCounted) {
  EXPECT_EQ(exit_status({counted(8192)}), 0);
  EXPECT_EQ(exit_status({counted(8192), failed()}), 2);
  EXPECT_EQ(exit_status({failed(), counted(16)}), 1);
}

TEST_F(ProfileText, CountsKernelsThatDoWhatTheyClaim) {
  KernelEntry silent;
  EXPECT_EQ(claims_summary({counted(8192), counted(16), failed()}), "1 of 3 kernels do what they claim\n");
  EXPECT_EQ(claims_summary({counted(8192), {&silent, {}, {}, {}}}),
            "1 of 1 kernels do what they claim; 1 claim nothing\n");
}

}  // namespace
}  // namespace assay::profile
