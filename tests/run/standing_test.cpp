// How far a verification is said to have come, and how long the rest is guessed to take.
#include "harness/run/standing.hpp"

#include <gtest/gtest.h>

namespace assay::run {
namespace {

using std::chrono::seconds;

const StandingBook::Clock::time_point kStart{};

TEST(Standing, KnowsNothingOfTheEndBeforeAnythingHasEnded) {
  StandingBook book(2, kStart);
  const auto run = book.add(Mode::fast);
  book.add(Mode::checked);
  book.at(run, "k", 0, 250, kStart + seconds(1));
  const auto now = book.standing(kStart + seconds(2));
  EXPECT_FALSE(now.left_s);
  EXPECT_EQ(now.runs, 0u);
  EXPECT_EQ(now.of, 2u);
  EXPECT_EQ(now.seconds, 2);
  EXPECT_EQ(now.current, "k fast, case 1 of 250");
}

TEST(Standing, GuessesARunThatGoesOnFromItsShareOfCases) {
  StandingBook book(1, kStart);
  const auto run = book.add(Mode::fast);
  book.at(run, "k", 0, 200, kStart);
  book.at(run, "k", 50, 200, kStart + seconds(10));
  const auto now = book.standing(kStart + seconds(10));
  EXPECT_EQ(now.left_s, 30);
  EXPECT_EQ(now.cases, 50u);
}

TEST(Standing, GuessesRunsToComeFromTheOthersInTheirMode) {
  StandingBook book(1, kStart);
  const auto fast = book.add(Mode::fast), checked = book.add(Mode::checked);
  book.add(Mode::fast);
  book.add(Mode::checked);
  book.add(Mode::contracted);
  book.ended(fast, 250, 4);
  book.ended(checked, 250, 16);
  const auto now = book.standing(kStart + seconds(20));
  EXPECT_EQ(now.runs, 2u);
  EXPECT_EQ(now.cases, 500u);
  EXPECT_EQ(now.left_s, 4 + 16 + 10);  // the last as the mean of all
}

TEST(Standing, DividesWhatIsLeftAmongTheProcessesThatStillHaveWork) {
  StandingBook book(4, kStart);
  const auto done = book.add(Mode::fast);
  book.add(Mode::fast);
  book.add(Mode::fast);
  book.ended(done, 1, 8);
  EXPECT_EQ(book.standing(kStart + seconds(8)).left_s, 8);
}

TEST(Standing, ACaseThatIsShrunkIsCountedOnce) {
  StandingBook book(1, kStart);
  const auto run = book.add(Mode::fast);
  book.at(run, "k", 100, 200, kStart);
  book.at(run, "k", 3, 200, kStart);
  EXPECT_EQ(book.standing(kStart).cases, 100u);
}

}  // namespace
}  // namespace assay::run
