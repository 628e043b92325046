// Whole numbers made of whole numbers are exact, whatever a float holds; what is copied keeps the sign of its
// zero. Varied: sums past 2^24 and 2^53, products, types that wrap, comparisons, and where a float comes in.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "assay/reference/tensors.h"
#include "tests/oracle/bounds.hpp"

namespace assay::oracle::testing {
namespace {

namespace ref = assay_reference;

/// An output of that type has this, and nothing else.
template <class Kept>
void expect_exactly(const ref::Number& number, Kept wanted) {
  EXPECT_TRUE(number.whole().is());
  EXPECT_EQ(ref::WholeElement<Kept>::wrapped(number.whole().bits()), static_cast<double>(wanted));
}

TEST(Whole, SumsAndProductsAreThoseOfTheirTypeWhateverAFloatHolds) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 4'000; ++round) {
    const int bits = 1 + static_cast<int>(random() % 33);
    const auto draw = [&] {
      return static_cast<std::int64_t>(random() >> (64 - bits)) - (std::int64_t{1} << (bits - 1));
    };
    ref::Number total;
    std::uint64_t sum = 0;
    for (int i = 0; i < 30; ++i) {
      const std::int64_t a = draw(), b = draw();
      total += ref::Number(static_cast<long>(a)) * static_cast<long>(b) - static_cast<long>(b);
      sum += static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(b);
    }
    expect_exactly(total, static_cast<std::uint32_t>(sum));
    expect_exactly(total, static_cast<std::int32_t>(sum));
    expect_exactly(-total, static_cast<std::uint16_t>(0 - sum));
    expect_exactly(total, static_cast<std::int8_t>(sum));
  }
}

TEST(Whole, CountsPast2To24AreExact) {
  expect_exactly(ref::sum(3, [](long) { return 430331016; }), std::uint32_t{1290993048});
  expect_exactly(ref::sum(10, [](long) { return ref::Number(true) + 16777216; }), std::uint32_t{167772170});
  expect_exactly(ref::Number(1L << 53) + 1, std::uint32_t{1});
  expect_exactly(ref::abs(ref::Number(-16777217)), std::uint32_t{16777217});
  expect_exactly(ref::clamp(ref::Number(16777219), 0, 16777217), std::uint32_t{16777217});
  expect_exactly(ref::Number(2.0) * 16777217, std::uint32_t{33554434});
}

TEST(Whole, ComparisonsOfThemGoOneWay) {
  EXPECT_TRUE(ref::Number(16777217) > ref::Number(16777216));
  EXPECT_FALSE(ref::Number(16777217) == ref::Number(16777216));
  EXPECT_TRUE(ref::Number(4000000001U) >= ref::Number(4000000001U));
  EXPECT_EQ(ref::whole(ref::Number(16777217) + 2), 16777219);
}

TEST(Whole, WhatAFloatHasComputedIsNot) {
  EXPECT_FALSE((16777217 * ref::Number::given(1)).whole().is());
  EXPECT_FALSE((ref::Number(6) / 2).whole().is());
  EXPECT_FALSE((ref::Number(6) + ref::Number::given(2)).whole().is());
  EXPECT_FALSE(ref::stored<ref::half>(6).whole().is());
  EXPECT_FALSE(ref::Number(0.5).whole().is());
}

TEST(Copies, AreThoseThatNothingIsComputedWith) {
  EXPECT_TRUE((ref::Number::given(-0.0)).is_copied());
  EXPECT_TRUE((ref::half_from_bits(0x8000)).is_copied());
  EXPECT_FALSE((ref::Number(0)).is_copied());
  EXPECT_FALSE((ref::Number::given(-0.0) + 0).is_copied());
  EXPECT_FALSE((-ref::Number::given(0)).is_copied());
  EXPECT_FALSE((ref::max(ref::Number::given(-0.0), 0)).is_copied());
  EXPECT_FALSE((ref::Number::given(-0.0) * 1).is_copied());
}

// Orders of three factors and of sums in floats: all that a kernel may have.
TEST(Overflow, HoldsWhatEveryOrderHas) {
  std::mt19937_64 random(5);
  std::size_t apart = 0;
  for (int round = 0; round < 100'000; ++round) {
    float factor[3];
    for (float& one : factor) {
      const int exponent = static_cast<int>(random() % 220) - 100;
      one = random() % 12 == 0 ? 0 : std::ldexp(1 + static_cast<float>(random() % 64) / 64, exponent);
      if (random() % 2 == 0) one = -one;
    }
    const auto number = [&](int i) { return ref::Number::given(static_cast<double>(factor[i])); };
    const ref::Number right = number(0) * number(1) * number(2);
    if (right.radius() == ref::kUnknown) continue;
    const float orders[] = {factor[0] * factor[1] * factor[2], factor[1] * factor[2] * factor[0],
                            factor[2] * factor[0] * factor[1]};
    for (const float got : orders) {
      const bool inside =
          std::isnan(right.value()) ? std::isnan(got) : got >= right.low() && got <= right.high();
      const unsigned special = std::isnan(got)    ? ref::kNotNumber
                               : !std::isinf(got) ? ref::kNone
                               : got > 0          ? ref::kPlus
                                                  : ref::kMinus;
      EXPECT_TRUE(inside || (right.may_be() & special) != 0)
          << got << " of " << factor[0] << ", " << factor[1] << ", " << factor[2];
      apart += inside ? 0 : 1;
    }
  }
  EXPECT_GT(apart, 1'000u);
}

TEST(Overflow, TimesZeroIsZeroOrNaN) {
  const ref::Number right = 6.0 * ref::Number::given(0x1p127) * ref::Number::given(0);
  EXPECT_EQ(right.value(), 0);
  EXPECT_EQ(right.may_be(), ref::kNotNumber);
  EXPECT_TRUE(right.has_overflowed());
}

TEST(Overflow, OfASumIsInfiniteInSomeOrders) {
  const auto sum = [](std::initializer_list<double> terms) {
    ref::Number total;
    for (const double term : terms) total += ref::Number::given(term);
    return total.closed();
  };
  EXPECT_EQ(sum({0x1.8p127, 0x1.8p127, -0x1.8p127}).may_be(), ref::kPlus);
  EXPECT_EQ(sum({0x1.8p127, 0x1.8p127, -0x1.8p127}).value(), 0x1.8p127);
  EXPECT_EQ(sum({0x1.8p127, 0x1.8p127, -0x1.8p127, -0x1.8p127}).may_be(),
            ref::kPlus | ref::kMinus | ref::kNotNumber);
  EXPECT_EQ(sum({0x1.8p127, 0x1.8p127, 1}).value(), INFINITY);
  EXPECT_EQ(sum({0x1.8p127, 0x1.8p127, 1}).may_be(), ref::kNone);
  EXPECT_EQ(sum({0x1p100, 0x1p100, -1}).may_be(), ref::kNone);
}

}  // namespace
}  // namespace assay::oracle::testing
