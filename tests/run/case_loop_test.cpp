// Which cases a run takes where all of them would take longer than is enough.
#include "harness/run/case_loop.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "harness/run/shrinking.hpp"

namespace assay::run {
namespace {

constexpr double kSecondsOfOne = 2e-9;
constexpr std::int64_t kSmall = std::int64_t{1} << 19, kLong = std::int64_t{1} << 26;

/// Passes each case after a time that grows with its size, and notes which these were.
class Burning final : public CaseJudge {
 public:
  std::optional<Finding> judge(std::uint64_t index, const properties::Case& test_case) override {
    const double until = processor_seconds() + kSecondsOfOne * static_cast<double>(test_case.dims.at("N"));
    while (processor_seconds() < until) {
    }
    judged.push_back(index);
    return std::nullopt;
  }
  Finding conclude(std::uint64_t count) override {
    concluded = count;
    return {};
  }
  std::vector<std::uint64_t> judged;
  std::uint64_t concluded = 0;
};

class CaseLoop : public testing::Test {
 protected:
  /// Seconds that a run of cases of these sizes took. `enough_s`: 0 or so many seconds from now on.
  double run(const std::vector<std::int64_t>& sizes, double enough_s) {
    CaseSource source;
    source.count = sizes.size();
    source.at = [&](std::uint64_t i) {
      properties::Case one;
      one.dims["N"] = sizes[i];
      return one;
    };
    source.work = [](const properties::Case& one) { return static_cast<double>(one.dims.at("N")); };
    const double began = processor_seconds();
    source.enough_s = enough_s == 0 ? 0 : began + enough_s;
    run_cases(source, judge_, process::Reporter(pipe_[1]));
    return processor_seconds() - began;
  }

  static std::vector<std::uint64_t> all_but(std::uint64_t count, std::vector<std::uint64_t> left_out = {}) {
    std::vector<std::uint64_t> all(count);
    std::iota(all.begin(), all.end(), 0);
    for (const auto one : left_out) std::erase(all, one);
    return all;
  }

  void SetUp() override { ASSERT_EQ(pipe(pipe_), 0); }
  void TearDown() override {
    close(pipe_[0]);
    close(pipe_[1]);
  }

  Burning judge_;

 private:
  int pipe_[2] = {};
};

TEST_F(CaseLoop, CasesThatWouldTakeLongerThanIsLeftAreLeftOut) {
  std::vector<std::int64_t> sizes(40, kSmall);
  sizes[3] = sizes[17] = 64 * kLong;  // eight seconds each
  EXPECT_LT(run(sizes, 1), 1);
  EXPECT_EQ(judge_.judged, all_but(40, {3, 17}));
  EXPECT_EQ(judge_.concluded, 38U);
}

TEST_F(CaseLoop, ALongCaseThatFitsComesLast) {
  std::vector<std::int64_t> sizes(20, kSmall);
  sizes[0] = 1;  // what it takes says little of what larger ones do
  sizes[3] = kLong;
  EXPECT_LT(run(sizes, 1), 1);
  auto judged = judge_.judged;
  std::sort(judged.begin(), judged.end());
  EXPECT_EQ(judged, all_but(20));
}

TEST_F(CaseLoop, ARunEndsWhenItsTimeIsUp) {
  EXPECT_LT(run(std::vector<std::int64_t>(100, kLong / 2), 0.5), 1);
  EXPECT_GE(judge_.concluded, 3U);
  EXPECT_LT(judge_.concluded, 100U);
}

TEST_F(CaseLoop, AllCasesRunInTheirOrderWhereNoTimeIsEnough) {
  std::vector<std::int64_t> sizes(20, kSmall);
  sizes[3] = kLong;
  run(sizes, 0);
  EXPECT_EQ(judge_.judged, all_but(20));
}

}  // namespace
}  // namespace assay::run
