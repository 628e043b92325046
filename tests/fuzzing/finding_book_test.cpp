// What is known, what is new, and what an earlier text of a kernel had.
#include "harness/fuzz/finding_book.hpp"

#include <gtest/gtest.h>

#include "harness/metal/compile/toolchain.hpp"
#include "tests/fuzzing/scratch.hpp"

namespace assay::fuzz {
namespace {

using News = FindingBook::News;

const TargetKey kTarget = {"m.toml", "k", "fast"};

KeptFinding found(const std::string& verdict, double size, const std::string& text = "one") {
  KeptFinding one;
  std::tie(one.manifest, one.kernel, one.mode) = kTarget;
  one.verdict = verdict;
  one.cause = verdict + " at k.metal:1";
  one.size = size;
  one.text = text;
  one.report = fmt::format("of size {}\n", size);
  return one;
}

class Book : public testing::Test {
 protected:
  News take(KeptFinding one) { return book_.take(one); }
  const KeptFinding& only() const { return directory_.state().findings.at(0); }
  std::string file() const { return metal::content_of(directory_.file_of(only())); }

  Scratch scratch_;
  FindingsDirectory directory_{scratch_ / "f", 1};
  FindingBook book_{directory_};
};

TEST_F(Book, KeepsTheSmallestCaseOfWhatIsKnown) {
  EXPECT_EQ(take(found("race", 10)), News::fresh);
  EXPECT_EQ(take(found("race", 20)), News::none);
  EXPECT_EQ(only().size, 10);
  EXPECT_EQ(take(found("race", 5)), News::none);
  EXPECT_EQ(only().size, 5);
  EXPECT_EQ(only().seen, 3u);
  EXPECT_NE(file().find("of size 5"), std::string::npos);
  EXPECT_EQ(directory_.state().findings.size(), 1u);
}

TEST_F(Book, WritesAFindingOfAnEarlierTextAnew) {
  EXPECT_EQ(take(found("race", 10)), News::fresh);
  EXPECT_EQ(take(found("race", 20, "two")), News::again);
  EXPECT_EQ(only().text, "two");
  EXPECT_EQ(only().size, 20);
  EXPECT_EQ(take(found("race", 20, "two")), News::none);
}

// Its order would decide which is kept.
TEST_F(Book, ShrinksACrashFromTheFirstOn) {
  auto first = found("crash", 10);
  first.shrunk = false;
  EXPECT_EQ(take(first), News::fresh);
  EXPECT_EQ(take(found("crash", 5)), News::none);
  EXPECT_EQ(only().size, 10);
  book_.shrunk(first, found("crash", 7));
  EXPECT_EQ(only().size, 7);
  EXPECT_TRUE(only().shrunk);
}

TEST_F(Book, LeavesWhatWasShrunkOfAnEarlierText) {
  auto first = found("crash", 10), later = found("crash", 9, "two");
  first.shrunk = later.shrunk = false;
  take(first);
  take(later);
  book_.shrunk(first, found("crash", 7));
  EXPECT_EQ(only().size, 9);
  EXPECT_FALSE(only().shrunk);
}

TEST_F(Book, NamesWhatIsKnownAsItWasNamed) {
  auto first = found("wrong result", 10), cut = first;
  first.conclusion = "codes #";
  take(first);
  EXPECT_EQ(book_.take(cut), News::none);
  EXPECT_EQ(cut.file_name(), first.file_name());
}

TEST_F(Book, CountsCasesOfACause) {
  take(found("race", 10));
  book_.count(kTarget, "race at k.metal:1", 7);
  book_.count(kTarget, "another", 9);
  EXPECT_EQ(only().seen, 8u);
  EXPECT_NE(file().find("8 cases rejected"), std::string::npos);
}

TEST_F(Book, KnowsOfOneTextOnly) {
  take(found("timeout", 10));
  EXPECT_TRUE(book_.known_to_hang(kTarget, "one"));
  EXPECT_FALSE(book_.known_to_hang(kTarget, "two"));
  EXPECT_FALSE(book_.known_to_hang({"m.toml", "k", "checked"}, "one"));
  properties::Case large;
  large.dims = {{"M", 100}};
  EXPECT_TRUE(book_.known(kTarget, "one").counted(Verdict::timeout, "timeout at k.metal:1", large));
  EXPECT_FALSE(book_.known(kTarget, "two").counted(Verdict::timeout, "timeout at k.metal:1", large));
}

}  // namespace
}  // namespace assay::fuzz
