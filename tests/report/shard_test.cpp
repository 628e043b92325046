// Shards: as they are written, dealt out, and found in the environment of a scheduler.
#include "harness/verify/shard.hpp"

#include <gmock/gmock.h>

#include <map>

#include "harness/report/shard_choice.hpp"
#include "tests/error_of.hpp"

namespace assay::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

ShardChoice chosen(const Variables& variables, std::optional<std::string> asked = {}) {
  return choose_shard(asked, [&](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

std::string refused(const Variables& variables) {
  return error_of([&] { chosen(variables); });
}

TEST(Shard, TextIsReadAndWritten) {
  EXPECT_EQ(parse_shard("2/3"), (Shard{2, 3}));
  EXPECT_EQ(to_text(Shard{2, 3}), "2/3");
  for (const char* wrong : {"", "/", "1", "1/", "/1", "0/3", "4/3", "-1/3", "1/0", "1 /3", "1/3x", "1/2/3",
                            "1/100001", "99999999999999999999/3"}) {
    EXPECT_THAT(error_of([&] { parse_shard(wrong); }), HasSubstr("is not a shard; write I/N")) << wrong;
  }
}

TEST(Shard, EveryUnitIsOfOneShard) {
  for (const std::uint64_t of : {1, 2, 3, 7}) {
    for (std::uint64_t unit = 0; unit < 20; ++unit) {
      int takers = 0;
      for (std::uint64_t index = 1; index <= of; ++index) takers += Shard{index, of}.takes(unit);
      EXPECT_EQ(takers, 1) << unit << " of " << of;
    }
  }
}

TEST(ShardChoice, NobodySaysAnything) {
  const auto choice = chosen({});
  EXPECT_TRUE(choice.shard.whole());
  EXPECT_EQ(choice.note(), "");
}

TEST(ShardChoice, SchedulersAreAsked) {
  const auto googletest = chosen({{"GTEST_SHARD_INDEX", "0"}, {"GTEST_TOTAL_SHARDS", "3"}});
  EXPECT_EQ(googletest.shard, (Shard{1, 3}));
  EXPECT_THAT(googletest.note(), AllOf(HasSubstr("shard 1/3"), HasSubstr("GTEST_SHARD_INDEX")));
  const Variables slurm = {
      {"SLURM_ARRAY_TASK_ID", "12"}, {"SLURM_ARRAY_TASK_COUNT", "3"}, {"SLURM_ARRAY_TASK_MIN", "10"}};
  EXPECT_EQ(chosen(slurm).shard, (Shard{3, 3}));
  auto steps = slurm;
  steps["SLURM_ARRAY_TASK_MAX"] = "14";
  steps["SLURM_ARRAY_TASK_STEP"] = "2";
  EXPECT_EQ(chosen(steps).shard, (Shard{2, 3}));
  EXPECT_EQ(chosen({{"JOB_COMPLETION_INDEX", "4"}, {"ASSAY_SHARDS", "5"}}).shard, (Shard{5, 5}));
}

TEST(ShardChoice, WhatIsAskedForComesFirst) {
  const auto choice = chosen({{"GTEST_SHARD_INDEX", "x"}}, "2/4");
  EXPECT_EQ(choice.shard, (Shard{2, 4}));
  EXPECT_EQ(choice.note(), "");
}

TEST(ShardChoice, HalfOfItIsRefused) {
  EXPECT_THAT(refused({{"GTEST_TOTAL_SHARDS", "3"}}), HasSubstr("GTEST_SHARD_INDEX is not"));
  EXPECT_THAT(refused({{"GTEST_SHARD_INDEX", "3"}}), HasSubstr("GTEST_TOTAL_SHARDS is not"));
  EXPECT_THAT(refused({{"JOB_COMPLETION_INDEX", "3"}}), HasSubstr("ASSAY_SHARDS is not"));
  EXPECT_THAT(refused({{"ASSAY_SHARDS", "3"}}), HasSubstr("JOB_COMPLETION_INDEX is not"));
  EXPECT_THAT(refused({{"SLURM_ARRAY_TASK_ID", "3"}}), HasSubstr("SLURM_ARRAY_TASK_COUNT is not"));
}

TEST(ShardChoice, ContradictionsAreRefused) {
  EXPECT_THAT(refused({{"GTEST_SHARD_INDEX", "3"}, {"GTEST_TOTAL_SHARDS", "3"}}), HasSubstr("beyond the 3"));
  EXPECT_THAT(refused({{"GTEST_SHARD_INDEX", "0"}, {"GTEST_TOTAL_SHARDS", "0"}}),
              HasSubstr("GTEST_TOTAL_SHARDS: 0"));
  EXPECT_THAT(refused({{"GTEST_SHARD_INDEX", "-1"}, {"GTEST_TOTAL_SHARDS", "3"}}),
              HasSubstr("`-1` is not a whole number"));
  const auto two = refused({{"GTEST_SHARD_INDEX", "0"},
                            {"GTEST_TOTAL_SHARDS", "3"},
                            {"JOB_COMPLETION_INDEX", "1"},
                            {"ASSAY_SHARDS", "3"}});
  EXPECT_THAT(two, AllOf(HasSubstr("1/3"), HasSubstr("2/3"), HasSubstr("--shard")));
  // An array of tasks 1, 3 and 10 has no even steps.
  EXPECT_THAT(refused({{"SLURM_ARRAY_TASK_ID", "3"},
                       {"SLURM_ARRAY_TASK_COUNT", "3"},
                       {"SLURM_ARRAY_TASK_MIN", "1"},
                       {"SLURM_ARRAY_TASK_MAX", "10"}}),
              HasSubstr("--array=1-3"));
}

}  // namespace
}  // namespace assay::report
