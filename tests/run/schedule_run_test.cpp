// Small problems whose schedules are explored: that there are some of every size, and what is asked instead
// of cases.
#include "harness/run/schedule_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/run/plan.hpp"
#include "tests/error_of.hpp"
#include "tests/large/entries.hpp"

namespace assay::run {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

const KernelEntry& kernel_named(const std::string& name) {
  static const auto entries = properties::testing::our_kernels();
  for (const KernelEntry& entry : entries) {
    if (entry.name == name) return entry;
  }
  throw std::logic_error(name);
}

// A tile of the striped kernel is 64 x 64, its K tile 32: what threadgroups share out is (tiles, slices, how
// many).
TEST(MeetingCases, OfTheStripedKernelCutTilesInSlices) {
  std::set<std::vector<std::int64_t>> found;
  for (const auto& one : meeting_cases(kernel_named("marlin_gemm_fp4_striped"))) {
    const auto tiles = [&](const char* side) { return (one.dims.at(side) + 63) / 64; };
    found.insert({tiles("M") * tiles("N"), one.dims.at("parallel"), one.dims.at("threadgroups")});
    EXPECT_EQ(one.dims.at("K"), 32 * one.dims.at("parallel"));
  }
  EXPECT_THAT(found, IsSupersetOf({std::vector<std::int64_t>{1, 2, 2},
                                   {1, 3, 3},
                                   {2, 2, 2},
                                   {2, 2, 3},
                                   {2, 2, 4},
                                   {2, 3, 3},
                                   {4, 3, 4}}));
}

// Whatever the operation, and whatever says how many threadgroups there are.
TEST(MeetingCases, AreThereForEveryKernelOfOurs) {
  for (const KernelEntry& entry : properties::testing::our_kernels())
    EXPECT_FALSE(meeting_cases(entry).empty()) << entry.name;
}

// 64 threadgroups share one sum: as many as are ever in flight together.
TEST(CrowdedCases, AreSmallAndTakeAsManyThreadgroupsAsThereIsRoomFor) {
  std::set<std::int64_t> found;
  for (const auto& one : crowded_cases(kernel_named("marlin_gemm_fp4_striped"))) {
    found.insert(one.dims.at("threadgroups"));
    EXPECT_EQ(one.dims.at("K"), 32 * one.dims.at("parallel"));
  }
  EXPECT_THAT(found, IsSupersetOf({8, 17, 64}));
}

TEST(Schedules, AreAskedForInPlaceOfCases) {
  Request request;
  request.schedules = "all";
  const auto& striped = kernel_named("marlin_gemm_fp4_striped");
  const auto whole = plan(request, {&striped});
  EXPECT_EQ(whole.options.modes, std::vector{Mode::checked});
  EXPECT_TRUE(whole.options.schedules.all);
  EXPECT_EQ(whole.options.schedules.seconds, 0);
  request.schedules = "2m";
  EXPECT_EQ(plan(request, {&striped}).options.schedules.seconds, 120);
  for (const char* bad : {"some", "0", "-1", "all "}) {
    request.schedules = bad;
    EXPECT_THAT(error_of([&] { plan(request, {&striped}); }), HasSubstr("is not a time; write all")) << bad;
  }
  request.schedules = "all";
  request.mode = "fast";
  EXPECT_THAT(error_of([&] { plan(request, {&striped}); }), HasSubstr("in checked mode"));
  request.mode = "both";
  request.at = {"M=1"};
  EXPECT_THAT(error_of([&] { plan(request, {&striped}); }), HasSubstr("schedules replace drawn cases"));
}

}  // namespace
}  // namespace assay::run
