// Ways that a reference goes where a comparison may go either way. Varied: how many choices a path has,
// scopes within scopes, and what is assigned on which path.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "harness/oracle/exploration.hpp"

namespace assay::oracle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Assigned : public ::testing::Test {
 protected:
  static constexpr std::size_t kElements = 8;

  std::vector<double> value_ = std::vector<double>(kElements), low_ = value_, high_ = value_;
  std::vector<std::uint8_t> assigned_ = std::vector<std::uint8_t>(kElements);
  Exploration exploration_{{{}, {value_, low_, high_, assigned_}}};

  void assign(std::size_t element, double exactly) {
    EXPECT_TRUE(exploration_.assign(1, element, {exactly, exactly, exactly}));
  }
  template <class Body>
  void explore(const Body& body) {
    exploration_.begin();
    do body();
    while (exploration_.again());
  }
  /// The values that are right for an element.
  std::set<double> right(std::size_t element) const {
    const auto found = exploration_.apart().find({1u, element});
    if (found == exploration_.apart().end()) return {low_[element], high_[element]};
    std::set<double> values;
    for (const Stretch& one : found->second) values.insert({one.low, one.high});
    return values;
  }
};

TEST_F(Assigned, OnOneWayIsWhatItIs) {
  int runs = 0;
  explore([&] {
    ++runs;
    assign(3, 5);
  });
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(right(3), std::set<double>{5});
  EXPECT_EQ(assigned_[3], 1);
  EXPECT_EQ(assigned_[2], 0);
}

TEST_F(Assigned, OnEachCombinationOfChoicesIsRight) {
  int runs = 0;
  explore([&] {
    ++runs;
    const auto first = exploration_.choose(2), second = exploration_.choose(3);
    assign(0, 10.0 * first + second);
    assign(1, first);
  });
  EXPECT_EQ(runs, 6);
  EXPECT_EQ(right(0), (std::set<double>{0, 1, 2, 10, 11, 12}));
  EXPECT_EQ(right(1), (std::set<double>{0, 1}));
}

TEST_F(Assigned, ChoicesMayDependOnEarlierOnes) {
  int runs = 0;
  explore([&] {
    ++runs;
    assign(0, exploration_.choose(2) == 0 ? 7 : 8 + exploration_.choose(2));
  });
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(right(0), (std::set<double>{7, 8, 9}));
}

TEST_F(Assigned, StretchesThatMeetAreOne) {
  explore([&] {
    const double from = exploration_.choose(2);
    EXPECT_TRUE(exploration_.assign(1, 0, {from, from, from + 1}));
  });
  EXPECT_TRUE(exploration_.apart().empty());
  EXPECT_EQ(low_[0], 0);
  EXPECT_EQ(high_[0], 2);
}

// Eight elements with two ways each are 16 runs, not 256.
TEST_F(Assigned, ScopesAreExploredByThemselves) {
  int runs = 0;
  explore([&] {
    for (std::size_t i = 0; i < kElements; ++i) {
      explore([&] {
        ++runs;
        assign(i, exploration_.choose(2));
      });
    }
  });
  EXPECT_EQ(runs, 16);
  for (std::size_t i = 0; i < kElements; ++i) EXPECT_EQ(right(i), (std::set<double>{0, 1}));
}

TEST_F(Assigned, ScopesWithinAPathBelongToIt) {
  explore([&] {
    const double outer = 10 * exploration_.choose(2);
    explore([&] { assign(0, outer + exploration_.choose(2)); });
    assign(1, outer);
  });
  EXPECT_EQ(right(0), (std::set<double>{0, 1, 10, 11}));
  EXPECT_EQ(right(1), (std::set<double>{0, 10}));
}

TEST_F(Assigned, OfTooManyWaysNothingIsSaid) {
  explore([&] {
    for (int i = 0; i < 9; ++i) (void)exploration_.choose(2);
    assign(0, 1);
  });
  EXPECT_EQ(low_[0], -kInfinity);
  EXPECT_EQ(high_[0], kInfinity);
}

TEST_F(Assigned, NaNOnOneWayIsRightBesideNumbers) {
  explore([&] { assign(0, exploration_.choose(2) == 0 ? 1 : NAN); });
  const auto& both = exploration_.apart().at({1u, 0});
  ASSERT_EQ(both.size(), 2u);
  EXPECT_TRUE(std::isnan(both[0].value) != std::isnan(both[1].value));
}

TEST_F(Assigned, WhereNothingCanBeSaidAnythingIsRight) {
  explore([&] {
    if (exploration_.choose(2) == 1) exploration_.cannot_say();
    assign(0, 3);
  });
  EXPECT_EQ(low_[0], -kInfinity);
  explore([&] { assign(0, 3); });
  EXPECT_EQ(low_[0], 3);  // of that way alone
}

TEST_F(Assigned, NoOtherElementsThanThereAre) {
  exploration_.begin();
  EXPECT_FALSE(exploration_.assign(1, kElements, {1, 1, 1}));
  EXPECT_FALSE(exploration_.assign(0, 0, {1, 1, 1}));  // an input
  EXPECT_FALSE(exploration_.assign(2, 0, {1, 1, 1}));
}

TEST_F(Assigned, WhatOverflowsInSomeOrdersHasTheirValuesToo) {
  explore([&] {
    assign(2, 3);
    EXPECT_TRUE(exploration_.overflow(1, 2, kInfinity));
    EXPECT_TRUE(exploration_.overflow(1, 2, -kInfinity));
    assign(4, exploration_.choose(2) == 0 ? 1 : 5);
  });
  EXPECT_EQ(right(2), (std::set<double>{-kInfinity, 3, kInfinity}));
  EXPECT_EQ(right(4), (std::set<double>{1, 5}));
  EXPECT_FALSE(exploration_.overflow(1, kElements, 0));
  const auto& all = exploration_.apart().at({1u, 2});
  EXPECT_TRUE(std::all_of(all.begin(), all.end(), [](const Stretch& one) { return one.overflowed; }));
}

TEST_F(Assigned, CopiesOfZerosOfBothSignsMakeEitherRight) {
  explore([&] { assign(1, exploration_.choose(2) == 0 ? 0.0 : -0.0); });
  EXPECT_NE(std::signbit(low_[1]), std::signbit(high_[1]));
}

}  // namespace
}  // namespace assay::oracle
