// Packing: the bound for every weight, exactness where it is possible, and the corners of the formats.
#include "kernels/host/pack.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "reference/fp4.hpp"
#include "reference/groups.hpp"
#include "reference/int4.hpp"
#include "reference/packing.hpp"
#include "tests/error_of.hpp"
#include "tests/host/packing.hpp"

namespace assay::host {
namespace {

using reference::half_from_double;
using reference::half_to_double;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr WeightFormat kFormats[] = {WeightFormat::fp4, WeightFormat::u4, WeightFormat::s4};

double clamped(std::uint16_t half) { return std::clamp(half_to_double(half), -65504.0, 65504.0); }

/// How far the weight of (k, n) may be from w: half the distance of the weights around w, past the ends the
/// rounding of the range's own end.
double bound(const PackedWeights& p, std::size_t k, std::size_t n, double w) {
  const std::size_t group = k / p.group_size * p.N + n;
  const double scale = half_to_double(p.scales[group]);
  if (p.format != WeightFormat::fp4) return (1 + 0x1p-6) * scale / 2;
  if (std::fabs(w) > 65472) return 32;
  double below = 0;
  for (unsigned code = 1; code < 8; ++code) {
    const double above = half_to_double(reference::fp4_weight(code, p.scales[group]));
    if (std::fabs(w) <= above) return (above - below) / 2;
    below = above;
  }
  return 0;  // the largest magnitude of a group is never past the end
}

void expect_bound(WeightFormat format, std::size_t K, std::size_t N, std::size_t group_size,
                  const Halves& weights) {
  const PackedWeights packed = pack(format, K, N, group_size, weights);
  check(packed);
  const Halves back = dequantize(packed);
  for (std::size_t i = 0; i < back.size(); ++i) {
    const double w = clamped(weights[i]);
    if (!(std::fabs(half_to_double(back[i]) - w) <= bound(packed, i / N, i % N, w))) {
      FAIL() << name_of(format) << " K " << K << " N " << N << " group_size " << group_size << ": element "
             << i << " is " << w << ", packed " << half_to_double(back[i]) << ", bound "
             << bound(packed, i / N, i % N, w);
    }
  }
  for (const auto& more : {packed.scales, packed.zeros}) {
    for (const auto half : more) ASSERT_TRUE(reference::half_is_finite(half));
  }
}

void expect_same_values(const Halves& expected, const Halves& got, const std::string& what) {
  ASSERT_EQ(expected.size(), got.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(half_to_double(expected[i]), half_to_double(got[i])) << what << ", element " << i;
  }
}

/// Halves of every kind but NaN: all exponents alike, subnormals and infinities among them.
Halves any_halves(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  Halves halves;
  while (halves.size() < count) {
    const auto half = static_cast<std::uint16_t>(random());
    if (!reference::half_is_nan(half)) halves.push_back(half);
  }
  return halves;
}

/// Magnitudes in one octave of the format, where rounding and overflow are the same for all of a group.
Halves octave_halves(std::size_t count, int exponent_field, std::uint32_t seed) {
  std::mt19937 random(seed);
  Halves halves;
  for (std::size_t i = 0; i < count; ++i) {
    halves.push_back(
        static_cast<std::uint16_t>((random() & 0x83FF) | static_cast<unsigned>(exponent_field) << 10));
  }
  return halves;
}

TEST(Pack, EveryWeightIsWithinHalfAStep) {
  std::uint32_t seed = 1;
  for (const WeightFormat format : kFormats) {
    for (const std::size_t group_size : {8, 16, 32, 128}) {
      for (const std::size_t K : {1, 7, 8, 9, 40, 130}) {
        expect_bound(format, K, 5, group_size, normal_halves(K * 5, 0.02, seed++));
        expect_bound(format, K, 5, group_size, any_halves(K * 5, seed++));
      }
    }
  }
}

TEST(Pack, EveryWeightIsWithinHalfAStepInEveryOctave) {
  for (const WeightFormat format : kFormats) {
    for (int exponent_field = 0; exponent_field <= 30; ++exponent_field) {
      expect_bound(format, 64, 16, 8, octave_halves(64 * 16, exponent_field, 7));
    }
  }
}

// The largest weights leave no room for the code past them: each pair of extremes up to the largest half.
TEST(Pack, ExtremesNearOverflow) {
  for (const WeightFormat format : kFormats) {
    for (std::uint16_t low = 0x7BFF; low > 0x6C00; low = static_cast<std::uint16_t>(low - 37)) {
      for (std::uint16_t high = 0x7BFF; high > 0x7B80; high = static_cast<std::uint16_t>(high - 3)) {
        const auto negative = static_cast<std::uint16_t>(low | 0x8000);
        expect_bound(format, 3, 1, 8, {negative, high, 0x3C01});
        expect_bound(format, 3, 1, 8, {low, high, 0x3C01});
        expect_bound(format, 3, 1, 8, {static_cast<std::uint16_t>(high | 0x8000), low, 0x3C01});
      }
    }
  }
}

TEST(Pack, OnlyOverflowMakesTheStepLonger) {
  double longest = 0;
  for (std::uint16_t low = 0x7BFF; low > 0x6C00; low = static_cast<std::uint16_t>(low - 11)) {
    const double span = 65504 + half_to_double(low);
    const auto packed =
        pack_u4_weights(3, 1, 8, {{static_cast<std::uint16_t>(low | 0x8000), 0x7BFF, 0x3C01}});
    longest = std::max(longest, half_to_double(packed.scales[0]) / (span / 15));
  }
  EXPECT_GT(longest, 1.01);
  EXPECT_LT(longest, 4.0 / 3);
}

TEST(Pack, DequantizedFp4IsKeptUnderEveryScale) {
  // One column a scale, all codes: every positive finite half scale under which the weights are finite.
  for (const unsigned largest : {7U, 6U, 5U, 4U, 3U, 2U, 1U}) {
    std::vector<std::uint16_t> scales;
    for (std::uint16_t scale = 1; scale < 0x7C00; ++scale) {
      if (reference::half_is_finite(reference::fp4_weight(largest, scale))) scales.push_back(scale);
    }
    const std::size_t N = scales.size();
    std::vector<std::uint8_t> codes(16 * N, 0);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const auto k = static_cast<unsigned>(i / N);
      codes[i] = static_cast<std::uint8_t>((k & 7) <= largest ? k : 0);
    }
    const Halves weights =
        reference::dequantize_fp4(16, N, 16, reference::pack_nibbles(codes, 16, N), scales);
    expect_same_values(weights, dequantize(pack_fp4_weights(16, N, 16, weights)),
                       "largest code " + std::to_string(largest));
  }
}

TEST(Pack, DequantizedInt4IsKeptUnderEveryScaleAndZeroPoint) {
  for (unsigned zero = 0; zero <= 15; ++zero) {
    const auto zero_half = half_from_double(zero);
    // Codes first..last of one column a scale.
    for (const auto& [first, last] : {std::pair{0U, 15U}, {0U, 0U}, {3U, 9U}, {15U, 15U}, {8U, 15U}}) {
      std::vector<std::uint16_t> scales;
      for (unsigned scale = 1; scale < 0x7C00; scale += 7) {
        const auto half = static_cast<std::uint16_t>(scale);
        const auto chain = reference::Int4Chain::half_chain;
        if (reference::half_is_finite(reference::u4_weight(first, half, zero_half, chain)) &&
            reference::half_is_finite(reference::u4_weight(last, half, zero_half, chain))) {
          scales.push_back(half);
        }
      }
      const std::size_t N = scales.size();
      std::vector<std::uint8_t> codes(16 * N, 0);
      for (std::size_t i = 0; i < codes.size(); ++i) {
        codes[i] = static_cast<std::uint8_t>(std::clamp(static_cast<unsigned>(i / N), first, last));
      }
      const Halves weights =
          reference::dequantize_u4(16, N, 16, reference::pack_nibbles(codes, 16, N), scales,
                                   Halves(N, zero_half), reference::Int4Chain::half_chain);
      for (const WeightFormat format : {WeightFormat::u4, WeightFormat::s4}) {
        expect_same_values(weights, dequantize(pack(format, 16, N, 16, weights)),
                           "zero point " + std::to_string(zero));
      }
    }
  }
}

RC_GTEST_PROP(PackProperty, PackingTwiceIsPackingOnce, (std::uint32_t seed)) {
  const auto K = *rc::gen::inRange<std::size_t>(1, 70);
  const auto N = *rc::gen::inRange<std::size_t>(1, 6);
  const auto group_size = 8 * *rc::gen::inRange<std::size_t>(1, 6);
  const auto format =
      *rc::gen::elementOf(std::vector<WeightFormat>(std::begin(kFormats), std::end(kFormats)));
  const Halves weights =
      *rc::gen::arbitrary<bool>() ? any_halves(K * N, seed) : normal_halves(K * N, 1, seed);
  const Halves once = dequantize(pack(format, K, N, group_size, weights));
  const Halves twice = dequantize(pack(format, K, N, group_size, once));
  RC_ASSERT(to_doubles(once) == to_doubles(twice));
}

RC_GTEST_PROP(PackProperty, Int4ChainsAgree, (std::uint32_t seed)) {
  for (const auto format : {WeightFormat::u4, WeightFormat::s4}) {
    const PackedWeights packed = pack(format, 32, 3, 8, any_halves(96, seed));
    RC_ASSERT(dequantize(packed, reference::Int4Chain::half_chain) ==
              dequantize(packed, reference::Int4Chain::float_chain));
  }
}

TEST(Pack, UnderScaleOneCodesAreThoseOfTheFormat) {
  std::size_t compared = 0;
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if (reference::half_is_nan(half) || std::fabs(half_to_double(half)) > 6) continue;
    const PackedWeights packed = pack_fp4_weights(2, 1, 8, {{half_from_double(6), half}});
    if (packed.scales[0] != 0x3C00) continue;  // another scale gives both exactly
    ++compared;
    ASSERT_EQ(packed.words[0] >> 4, reference::fp4_from_half(half)) << half_to_double(half);
  }
  EXPECT_GT(compared, 30000u);
}

TEST(Pack, TiesGoToEvenMantissa) {
  // Scale 1: 6 fixes it, and 5.9 fits no other.
  const auto packed = pack_fp4_weights(8, 1, 8, to_halves({6, 5.9, 0.25, 0.75, 1.25, 2.5, 5, -3.5}));
  EXPECT_EQ(packed.scales[0], 0x3C00);
  EXPECT_EQ(packed.words[0], 0xE6422077u);  // 6, 6, 0, 1, 1, 2, 4, -4
}

TEST(Pack, Int4TiesGoToTheEvenCode) {
  // 0 to 15 in steps of 1; no other scale gives 0.1 either.
  const auto packed = pack_u4_weights(8, 1, 8, to_halves({0, 15, 0.1, 0.5, 1.5, 2.5, 13.5, 14.5}));
  EXPECT_EQ(packed.scales[0], 0x3C00);
  EXPECT_EQ(packed.words[0], 0xEE2200F0u);
}

TEST(Pack, ZerosGetScaleOneAndKeepTheirSignInFp4) {
  const Halves zeros = to_halves({0, -0.0, 0, 0, -0.0, 0, 0, 0});
  const auto fp4 = pack_fp4_weights(8, 1, 8, zeros);
  EXPECT_THAT(fp4.scales, ElementsAre(0x3C00));
  EXPECT_EQ(dequantize(fp4), zeros);
  EXPECT_THAT(fp4.zeros, testing::IsEmpty());
  const auto u4 = pack_u4_weights(8, 1, 8, zeros);
  EXPECT_THAT(u4.scales, ElementsAre(0x3C00));
  EXPECT_THAT(to_doubles(dequantize(u4)), Each(0.0));
}

TEST(Pack, SubnormalsAreKeptAsWellAsAnything) {
  const double unit = 0x1p-24;
  EXPECT_THAT(to_doubles(dequantize(pack_fp4_weights(3, 1, 8, to_halves({unit, -unit, 0})))),
              ElementsAre(unit, -unit, 0));
  EXPECT_THAT(to_doubles(dequantize(pack_s4_weights(3, 1, 8, to_halves({unit, -7 * unit, 0})))),
              ElementsAre(unit, -7 * unit, 0));
}

TEST(Pack, AnInfinityIsTheLargestHalf) {
  const Halves infinite = to_halves({kInfinity, 1, -kInfinity, 0});
  const Halves largest = to_halves({65504, 1, -65504, 0});
  for (const WeightFormat format : kFormats) {
    const auto packed = pack(format, 4, 1, 8, infinite);
    EXPECT_EQ(dequantize(packed), dequantize(pack(format, 4, 1, 8, largest))) << name_of(format);
    for (const double weight : to_doubles(dequantize(packed))) EXPECT_TRUE(std::isfinite(weight));
  }
}

TEST(Pack, AGroupDoesNotSeeItsNeighbours) {
  // Two columns, two groups, each exact under its own scale only.
  std::vector<double> values(32);
  const double scales[2][2] = {{1, 1024}, {0.0078125, 48}};
  for (std::size_t k = 0; k < 16; ++k) {
    for (std::size_t n = 0; n < 2; ++n) {
      values[k * 2 + n] = reference::fp4_value(static_cast<unsigned>(k % 8)) * scales[k / 8][n];
    }
  }
  const auto packed = pack_fp4_weights(16, 2, 8, to_halves(values));
  EXPECT_THAT(to_doubles(packed.scales), ElementsAre(1, 1024, 0.0078125, 48));
  EXPECT_EQ(to_doubles(dequantize(packed)), values);
}

TEST(Pack, ARaggedKIsPaddedWithZeroNibblesAndAShortGroup) {
  for (const WeightFormat format : kFormats) {
    const auto packed = pack(format, 11, 3, 8, normal_halves(33, 1, 5));
    EXPECT_EQ(packed.words.size(), 2u * 3);
    EXPECT_EQ(packed.scales.size(), 2u * 3);
    for (std::size_t n = 0; n < 3; ++n) EXPECT_EQ(packed.words[3 + n] >> 12, 0u) << name_of(format);
  }
}

TEST(Pack, S4IsU4WithZeroPointsEightLower) {
  const Halves weights = normal_halves(64, 1, 3);
  const auto u4 = pack_u4_weights(32, 2, 8, weights), s4 = pack_s4_weights(32, 2, 8, weights);
  EXPECT_EQ(u4.words, s4.words);
  EXPECT_EQ(u4.scales, s4.scales);
  for (std::size_t i = 0; i < u4.zeros.size(); ++i) {
    EXPECT_EQ(half_to_double(s4.zeros[i]), half_to_double(u4.zeros[i]) - 8);
  }
}

TEST(Pack, NaNIsRefusedByItsPlace) {
  Halves weights(12 * 3, 0x3C00);
  weights[7 * 3 + 2] = 0xFE00;
  for (const WeightFormat format : kFormats) {
    EXPECT_THAT(error_of([&] { pack(format, 12, 3, 8, weights); }),
                HasSubstr("weights: element (7, 2) is NaN"));
  }
}

TEST(Pack, SizesThatDoNotFitAreRefusedByField) {
  const Halves weights(16, 0x3C00);
  EXPECT_THAT(error_of([&] { pack_fp4_weights(0, 2, 8, weights); }), HasSubstr("K: "));
  EXPECT_THAT(error_of([&] { pack_fp4_weights(8, 0, 8, weights); }), HasSubstr("N: "));
  EXPECT_THAT(error_of([&] { pack_u4_weights(8, 2, 0, weights); }), HasSubstr("group_size: "));
  EXPECT_THAT(error_of([&] { pack_s4_weights(8, 2, 12, weights); }), HasSubstr("group_size: "));
  EXPECT_THAT(error_of([&] { pack_fp4_weights(8, 3, 8, weights); }), HasSubstr("weights: "));
}

TEST(PackedWeights, EachPartIsCheckedAgainstTheShape) {
  const auto good = pack_u4_weights(20, 3, 8, normal_halves(60, 1, 1));
  EXPECT_NO_THROW(check(good));
  auto bad = good;
  bad.words.pop_back();
  EXPECT_THAT(error_of([&] { check(bad); }), HasSubstr("words: "));
  bad = good;
  bad.scales.pop_back();
  EXPECT_THAT(error_of([&] { check(bad); }), HasSubstr("scales: "));
  bad = good;
  bad.zeros.clear();
  EXPECT_THAT(error_of([&] { check(bad); }), HasSubstr("zeros: "));
  bad.format = WeightFormat::fp4;
  EXPECT_NO_THROW(check(bad));
  bad.zeros.push_back(0);
  EXPECT_THAT(error_of([&] { check(bad); }), HasSubstr("zeros: FP4 weights have no zero points"));
  bad = good;
  bad.group_size = 9;
  EXPECT_THAT(error_of([&] { check(bad); }), HasSubstr("group_size: "));
}

}  // namespace
}  // namespace assay::host
