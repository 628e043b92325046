// Numbers that are rounded for certain, or perhaps, to a format. Varied: operations before the rounding,
// contracted or not, and how far their operands are off.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "assay/reference/functions.h"
#include "reference/half.hpp"
#include "tests/oracle/bounds.hpp"

namespace assay::oracle::testing {
namespace {

namespace ref = assay_reference;

double half_of(double value) { return reference::half_to_double(reference::half_from_double(value)); }

class StoredHalves : public ::testing::Test {
 protected:
  /// Halves of a few bits, so that ties and exact results are among what follows.
  double drawn() {
    const int bits = static_cast<int>(random_() % 11);
    const double significand = static_cast<double>((1u << bits) + random_() % (1u << bits));
    return std::ldexp(significand, static_cast<int>(random_() % 12) - 8 - bits) *
           (random_() % 2 == 0 ? 1 : -1);
  }
  std::mt19937_64 random_{5};
};

// A kernel has h(f(a * b) + c) or h(f(a * b + c)): both lie inside, and where they are one value nothing else
// does.
TEST_F(StoredHalves, OfAProductAndATermAreWhatAKernelHasContractedOrNot) {
  std::size_t single = 0, one_value = 0;
  for (int i = 0; i < 300'000; ++i) {
    const double a = static_cast<double>(static_cast<float>(drawn() * drawn() * 1.0009765625)), b = drawn(),
                 c = drawn();
    const auto af = static_cast<float>(a), bf = static_cast<float>(b), cf = static_cast<float>(c);
    const volatile float product = af * bf;
    const double separate = half_of(static_cast<double>(product + cf));
    const double contracted = half_of(static_cast<double>(std::fma(af, bf, cf)));
    const auto number =
        ref::stored<ref::half>(ref::Number::exactly(a) * ref::Number::exactly(b) + ref::Number::exactly(c));
    ASSERT_FALSE(number.is_unknown());
    ASSERT_LE(number.low(), std::min(separate, contracted)) << a << " * " << b << " + " << c;
    ASSERT_GE(number.high(), std::max(separate, contracted)) << a << " * " << b << " + " << c;
    one_value += separate == contracted ? 1 : 0;
    single += number.is_exact() ? 1 : 0;
  }
  EXPECT_GT(single, one_value * 99 / 100);
}

TEST_F(StoredHalves, OfNumbersThatAreOffAreTheRoundingsOfAllBetween) {
  for (int i = 0; i < 300'000; ++i) {
    const double value = drawn() * 1.0001,
                 radius = i % 3 == 0 ? 0 : std::fabs(value) * std::ldexp(1.0, -6 - i % 14);
    const auto number = ref::stored<ref::half>(ref::Number::around(value, radius));
    ASSERT_EQ(number.low(), half_of(value - radius)) << value << " +- " << radius;
    ASSERT_EQ(number.high(), half_of(value + radius)) << value << " +- " << radius;
    const auto perhaps = ref::maybe_stored<ref::half>(ref::Number::around(value, radius));
    ASSERT_LE(perhaps.low(), std::min(half_of(value - radius), value - radius));
    ASSERT_GE(perhaps.high(), std::max(half_of(value + radius), value + radius));
    ASSERT_LE(perhaps.radius(), radius + std::fabs(value) * 0x1p-10);
  }
}

TEST(Stored, BeyondTheLargestIsInfiniteOrNobodysToSay) {
  const auto stored = [](double value, double radius) {
    return ref::stored<ref::half>(ref::Number::around(value, radius));
  };
  EXPECT_EQ(stored(65519, 0).value(), 65504);
  EXPECT_EQ(stored(65520, 0).value(), INFINITY);
  EXPECT_EQ(stored(-70000, 100).value(), -INFINITY);
  EXPECT_TRUE(stored(65520, 10).is_unknown());
  EXPECT_TRUE(ref::maybe_stored<ref::half>(ref::Number::exactly(65520)).is_unknown());
}

// A term of 0 is added without a rounding, whatever the sum.
TEST(Stored, TermsThatAreZeroWidenNoSum) {
  ref::Number sum = ref::Number::exactly(1.1f) + ref::Number::exactly(2.3f);
  const double radius = sum.radius();
  for (int i = 0; i < 100; ++i) sum += ref::Number::exactly(0) * ref::Number::around(5, 0.25);
  EXPECT_EQ(sum.radius(), radius);
  EXPECT_TRUE((ref::Number::exactly(0) * ref::Number::exactly(INFINITY)).is_nan());
}

}  // namespace
}  // namespace assay::oracle::testing
