#include "reference/half.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "tests/half.hpp"

namespace assay::reference {
namespace {

TEST(Half, EveryPatternWidensAsTheCompilerDoes) {
  for (unsigned pattern = 0; pattern <= 0xFFFF; ++pattern) {
    const auto half = static_cast<std::uint16_t>(pattern);
    const auto expected = static_cast<double>(half_of(half));
    const double value = half_to_double(half);
    ASSERT_EQ(half_is_nan(half), std::isnan(expected)) << std::hex << pattern;
    ASSERT_EQ(half_is_finite(half), std::isfinite(expected)) << std::hex << pattern;
    ASSERT_EQ(std::isnan(value), std::isnan(expected)) << std::hex << pattern;
    ASSERT_EQ(std::signbit(value), (pattern & 0x8000) != 0) << std::hex << pattern;
    if (!std::isnan(expected)) {
      ASSERT_EQ(value, expected) << std::hex << pattern;
      ASSERT_EQ(half_to_float(half), static_cast<float>(half_of(half))) << std::hex << pattern;
    }
    if (std::isfinite(expected)) {
      ASSERT_EQ(static_cast<double>(half_to_units(half)), expected * 0x1p24) << std::hex << pattern;
    }
  }
}

TEST(Half, EveryPatternSurvivesTheWayThroughDoubleAndFloat) {
  for (unsigned pattern = 0; pattern <= 0xFFFF; ++pattern) {
    const auto half = static_cast<std::uint16_t>(pattern);
    const std::uint16_t expected =
        half_is_nan(half) ? static_cast<std::uint16_t>((half & kHalfSign) | kHalfQuietNan) : half;
    ASSERT_EQ(half_from_double(half_to_double(half)), expected) << std::hex << pattern;
    ASSERT_EQ(half_from_float(half_to_float(half)), expected) << std::hex << pattern;
  }
}

// Ties are where roundings differ: exactly between two halves, and the nearest doubles on both sides of it.
TEST(Half, MidpointsOfAllNeighboursRoundToEvenAndTheirDoubleNeighboursDoNot) {
  for (unsigned pattern = 0; pattern < 0x7C00; ++pattern) {
    const double low = half_to_double(static_cast<std::uint16_t>(pattern));
    const double high = pattern == 0x7BFF ? 65536.0 : half_to_double(static_cast<std::uint16_t>(pattern + 1));
    const double midpoint = (low + high) / 2;
    const unsigned even = (pattern & 1) == 0 ? pattern : pattern + 1;
    ASSERT_EQ(half_from_double(midpoint), even) << std::hex << pattern;
    ASSERT_EQ(half_from_double(-midpoint), even | 0x8000) << std::hex << pattern;
    ASSERT_EQ(half_from_double(std::nextafter(midpoint, low)), pattern) << std::hex << pattern;
    ASSERT_EQ(half_from_double(std::nextafter(midpoint, high)), pattern + 1) << std::hex << pattern;
  }
}

TEST(Half, AMillionDoublesRoundAsTheCompilerDoes) {
  std::mt19937_64 random(16);
  for (int i = 0; i < 1'000'000; ++i) {
    const std::uint64_t bits = random();
    // Exponents from deep underflow to past overflow; every sixteenth keeps its own.
    const std::uint64_t exponent = i % 16 == 0 ? bits >> 52 & 0x7FF : 1023 - 30 + (bits >> 52 & 0x7FF) % 50;
    const auto value = std::bit_cast<double>((bits & 0x800F'FFFF'FFFF'FFFF) | exponent << 52);
    if (std::isnan(value)) continue;
    ASSERT_EQ(half_from_double(value), bits_of(static_cast<Half>(value))) << value;
  }
}

TEST(Half, NanKeepsItsSignAndBecomesQuiet) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(half_from_double(std::copysign(nan, 1.0)), 0x7E00);
  EXPECT_EQ(half_from_double(std::copysign(nan, -1.0)), 0xFE00);
  EXPECT_EQ(half_from_float(std::numeric_limits<float>::signaling_NaN()), 0x7E00);
}

TEST(Half, NextUpAndDownStepThroughAllValuesInOrder) {
  double value = -std::numeric_limits<double>::infinity();
  int steps = 0;
  while (value < std::numeric_limits<double>::infinity()) {
    const double next = half_next_up(value);
    ASSERT_GT(next, value);
    ASSERT_EQ(half_to_double(half_from_double(next)), next);
    ASSERT_EQ(half_next_down(next), value);
    value = next;
    ++steps;
  }
  // Infinities, 2 * 0x7BFF finite values besides zero, and one zero.
  EXPECT_EQ(steps, 2 * 0x7BFF + 2);
  EXPECT_EQ(half_next_up(value), value);
  EXPECT_EQ(half_next_down(-value), -value);
  EXPECT_TRUE(std::isnan(half_next_up(std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace assay::reference
