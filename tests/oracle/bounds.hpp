// How tight a derived bound is: the largest share of it that an evaluation was off by, and whether all lay
// inside.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace assay::oracle::testing {

class Tightness {
 public:
  /// An evaluation gave `got` where `number` says what is right.
  template <class Number>
  void take(const Number& number, double got) {
    if (number.is_unknown() || std::isnan(number.value())) return;
    ++judged_;
    const double radius = number.radius(), off = std::fabs(got - number.value());
    if (got == number.value()) return;  // infinities too
    if (!(off <= radius)) {
      if (outside_++ == 0) first_ = {number.value(), radius, got};
      return;
    }
    worst_ = std::max(worst_, off / radius);
  }

  /// All inside, and the largest error at least a hundredth of its bound, over so many evaluations.
  void expect_honest_and_tight(std::size_t least) const {
    EXPECT_EQ(outside_, 0u) << "the first: " << first_.got << " where " << first_.value << " +- "
                            << first_.radius;
    EXPECT_GE(worst_, 0.01);
    EXPECT_GE(judged_, least);
  }
  double worst() const { return worst_; }

 private:
  struct Outside {
    double value = 0, radius = 0, got = 0;
  };
  std::size_t judged_ = 0, outside_ = 0;
  double worst_ = 0;
  Outside first_;
};

}  // namespace assay::oracle::testing
