// Which rejected cases are worth shrinking, once their cause is known.
#include "harness/fuzz/known_causes.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace assay::fuzz {
namespace {

properties::Case sized(std::int64_t size) {
  properties::Case one;
  one.dims = {{"M", size}};
  return one;
}

KeptFinding finding(const std::string& cause, std::uint64_t seen, double size) {
  KeptFinding one;
  one.cause = cause;
  one.seen = seen;
  one.size = size;
  return one;
}

TEST(KnownCauses, ANewCauseIsShrunk) {
  KnownCauses known;
  EXPECT_FALSE(known.counted(Verdict::race, "race at k.metal:1", sized(10)));
  known.add(finding("race at k.metal:2", 1, 1));
  EXPECT_FALSE(known.counted(Verdict::race, "race at k.metal:1", sized(10)));
}

TEST(KnownCauses, AKnownOneIsCountedUnlessItsCaseIsSmaller) {
  KnownCauses known;
  known.add(finding("race", 1, 10));
  known.add(finding("race", 1, 12));
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(known.counted(Verdict::race, "race", sized(10)));
  EXPECT_FALSE(known.counted(Verdict::race, "race", sized(9)));
}

// They look alike until they are diagnosed: some are, ever more seldom.
TEST(KnownCauses, WrongResultsAreDiagnosedAgainEverMoreSeldom) {
  KnownCauses known;
  known.add(finding("wrong", 1, 1));
  std::vector<int> shrunk;
  for (int i = 2; i <= 1000; ++i) {
    if (!known.counted(Verdict::wrong_result, "wrong", sized(10))) shrunk.push_back(i);
  }
  EXPECT_EQ(shrunk, (std::vector{2, 4, 8, 16, 32, 64, 128, 256, 512}));
}

}  // namespace
}  // namespace assay::fuzz
