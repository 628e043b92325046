#include "reference/fp4.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>

#include "reference/half.hpp"
#include "tests/half.hpp"
#include "tests/reference/independent_vectors.hpp"

namespace assay::reference {
namespace {

constexpr double kValues[16] = {0.0,  0.5,  1.0,  1.5,  2.0,  3.0,  4.0,  6.0,
                                -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0};

TEST(Fp4, ValuesAndHalvesOfAllCodes) {
  for (unsigned code = 0; code < 16; ++code) {
    EXPECT_EQ(fp4_value(code), kValues[code]) << code;
    EXPECT_EQ(std::signbit(fp4_value(code)), code >= 8) << code;
    EXPECT_EQ(fp4_to_half(code), half_from_double(kValues[code])) << code;
    EXPECT_EQ(fp4_from_half(fp4_to_half(code)), code);
  }
}

TEST(Fp4, CodesPastFifteenAreRefused) {
  EXPECT_THROW(fp4_value(16), std::invalid_argument);
  EXPECT_THROW(fp4_to_half(16), std::invalid_argument);
  EXPECT_THROW(fp4_weight(16, 0x3C00), std::invalid_argument);
}

TEST(Fp4, HalvesOfAllCodesAgreeWithIndependentVectors) {
  for (const auto& path : tests::independent_vectors("fp4_codes")) {
    SCOPED_TRACE(path);
    const golden::Dataset vectors = golden::read_safetensors(path);
    const auto codes = tests::elements<std::uint8_t>(vectors, "codes", DType::u8);
    const auto half_bits = tests::elements<std::uint16_t>(vectors, "half_bits", DType::u16);
    ASSERT_EQ(codes.size(), half_bits.size());
    ASSERT_FALSE(codes.empty());
    for (std::size_t i = 0; i < codes.size(); ++i) EXPECT_EQ(fp4_to_half(codes[i]), half_bits[i]) << i;
  }
}

TEST(Fp4, EncodingAgreesWithIndependentVectors) {
  for (const auto& path : tests::independent_vectors("fp4_encode")) {
    SCOPED_TRACE(path);
    const golden::Dataset vectors = golden::read_safetensors(path);
    const auto x = tests::halves(vectors, "x");
    const auto code = tests::elements<std::uint8_t>(vectors, "code", DType::u8);
    ASSERT_EQ(x.size(), code.size());
    std::set<std::uint16_t> distinct(x.begin(), x.end());
    EXPECT_EQ(distinct.size(), 2 * 31 * 1024U) << "not every finite half is among them";
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(fp4_from_half(x[i]), code[i]) << "half " << half_to_double(x[i]);
    }
  }
}

// By definition instead of by thresholds: no code is nearer, and between two as near the even M is taken.
TEST(Fp4, EveryFiniteHalfEncodesToTheNearestCode) {
  for (unsigned pattern = 0; pattern <= 0xFFFF; ++pattern) {
    const auto half = static_cast<std::uint16_t>(pattern);
    if (!half_is_finite(half)) continue;
    const double value = half_to_double(half);
    const unsigned code = fp4_from_half(half);
    ASSERT_EQ((code & 8) != 0, std::signbit(value)) << value;
    const double distance = std::fabs(value - kValues[code]);
    for (unsigned other = code & 8; other < (code & 8) + 8; ++other) {
      const double other_distance = std::fabs(value - kValues[other]);
      ASSERT_GE(other_distance, distance) << value << " has code " << code << ", nearer is " << other;
      if (other != code && other_distance == distance) {
        ASSERT_EQ(code & 1, 0U) << value;
      }
    }
  }
}

TEST(Fp4, InfinitySaturatesAndNanIsRefused) {
  EXPECT_EQ(fp4_from_half(0x7C00), 7U);
  EXPECT_EQ(fp4_from_half(0xFC00), 15U);
  EXPECT_THROW(fp4_from_half(0x7E00), std::invalid_argument);
  EXPECT_THROW(fp4_from_half(0xFC01), std::invalid_argument);
}

TEST(Fp4, WeightOfEveryCodeUnderEveryScaleIsTheProductRoundedOnce) {
  for (unsigned pattern = 0; pattern <= 0xFFFF; ++pattern) {
    const auto scale = static_cast<std::uint16_t>(pattern);
    const auto scale_value = static_cast<double>(half_of(scale));
    for (unsigned code = 0; code < 16; ++code) {
      const auto expected = bits_of(static_cast<Half>(kValues[code] * scale_value));
      const std::uint16_t weight = fp4_weight(code, scale);
      if (half_is_nan(expected)) {
        ASSERT_TRUE(half_is_nan(weight)) << "code " << code << ", scale " << scale_value;
      } else {
        ASSERT_EQ(weight, expected) << "code " << code << ", scale " << scale_value;
      }
    }
  }
}

}  // namespace
}  // namespace assay::reference
