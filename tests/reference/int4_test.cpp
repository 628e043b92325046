#include "reference/int4.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "reference/dequantize.hpp"
#include "reference/half.hpp"
#include "reference/packing.hpp"
#include "tests/half.hpp"
#include "tests/reference/independent_vectors.hpp"

namespace assay::reference {
namespace {

// The chains in half and float arithmetic. A half sum or product computed in double and
// rounded by the cast is the half operation: the double is exact.
Half subtract(double a, double b) { return static_cast<Half>(a - b); }
Half multiply(Half a, Half b) { return static_cast<Half>(static_cast<double>(a) * static_cast<double>(b)); }

std::uint16_t expected_u4(unsigned code, std::uint16_t scale, std::uint16_t zero, Int4Chain chain) {
  const Half z = half_of(zero), s = half_of(scale);
  if (chain == Int4Chain::half_chain) return bits_of(multiply(subtract(code, static_cast<double>(z)), s));
  const float difference = static_cast<float>(code) - static_cast<float>(z);
  const float product = difference * static_cast<float>(s);
  return bits_of(static_cast<Half>(product));
}

std::uint16_t expected_s4(unsigned code, std::uint16_t scale, std::uint16_t zero, Int4Chain chain) {
  const Half z = half_of(zero), s = half_of(scale);
  if (chain == Int4Chain::half_chain) {
    const Half offset = static_cast<Half>(8.0 + static_cast<double>(z));
    return bits_of(multiply(subtract(code, static_cast<double>(offset)), s));
  }
  const float difference = (static_cast<float>(code) - 8.0F) - static_cast<float>(z);
  const float product = difference * static_cast<float>(s);
  return bits_of(static_cast<Half>(product));
}

constexpr Int4Chain kChains[] = {Int4Chain::half_chain, Int4Chain::float_chain};
constexpr std::uint16_t kScales[] = {0x3C00, 0x2E66, 0xB8CD, 0x0003, 0x7BFF, 0x7C00};
// Whole, fractional, large, tiny, negative, infinite and undefined.
constexpr std::uint16_t kZeros[] = {0x0000, 0x8000, 0x4800, 0x4780, 0x47FF, 0x3555, 0xB555,
                                    0x0001, 0x7BFF, 0xFBFF, 0x6400, 0x7C00, 0xFC00, 0x7E00};

void expect_equal(std::uint16_t got, std::uint16_t expected, unsigned code, unsigned scale, unsigned zero) {
  if (half_is_nan(expected)) {
    ASSERT_TRUE(half_is_nan(got)) << std::hex << code << ' ' << scale << ' ' << zero;
  } else {
    ASSERT_EQ(got, expected) << std::hex << code << ' ' << scale << ' ' << zero;
  }
}

TEST(Int4, WeightsOfAllCodesUnderAllScalesAndChosenZeroPoints) {
  for (const Int4Chain chain : kChains) {
    for (const std::uint16_t zero : kZeros) {
      for (unsigned scale = 0; scale <= 0xFFFF; scale += 7) {
        for (unsigned code = 0; code < 16; ++code) {
          const auto half_scale = static_cast<std::uint16_t>(scale);
          expect_equal(u4_weight(code, half_scale, zero, chain), expected_u4(code, half_scale, zero, chain),
                       code, scale, zero);
          expect_equal(s4_weight(code, half_scale, zero, chain), expected_s4(code, half_scale, zero, chain),
                       code, scale, zero);
        }
      }
    }
  }
}

TEST(Int4, WeightsOfAllCodesUnderAllZeroPointsAndChosenScales) {
  for (const Int4Chain chain : kChains) {
    for (const std::uint16_t scale : kScales) {
      for (unsigned zero = 0; zero <= 0xFFFF; ++zero) {
        for (unsigned code = 0; code < 16; ++code) {
          const auto half_zero = static_cast<std::uint16_t>(zero);
          expect_equal(u4_weight(code, scale, half_zero, chain), expected_u4(code, scale, half_zero, chain),
                       code, scale, zero);
          expect_equal(s4_weight(code, scale, half_zero, chain), expected_s4(code, scale, half_zero, chain),
                       code, scale, zero);
        }
      }
    }
  }
}

// 8 + zero in half loses what (n - 8) - zero keeps (docs/documents.md, fault 15).
TEST(Int4, HalfChainOfS4RoundsAFractionalZeroPointThatTheFloatChainKeeps) {
  const std::uint16_t one = 0x3C00, third = 0x3555;
  EXPECT_EQ(half_to_double(s4_weight(8, one, third, Int4Chain::float_chain)), -half_to_double(third));
  const double offset = half_to_double(half_from_double(8.0 + half_to_double(third)));
  EXPECT_EQ(half_to_double(s4_weight(8, one, third, Int4Chain::half_chain)), 8.0 - offset);
  EXPECT_NE(8.0 - offset, -half_to_double(third));
}

TEST(Int4, CodesPastFifteenAreRefused) {
  EXPECT_THROW(u4_weight(16, 0x3C00, 0, Int4Chain::half_chain), std::invalid_argument);
  EXPECT_THROW(s4_weight(16, 0x3C00, 0, Int4Chain::float_chain), std::invalid_argument);
}

// Of one column with one group each: code 12, zero 2.5, scale 0.5.
TEST(DequantizeInt4, SignedCodesAreStoredWithEightAdded) {
  const auto packed = pack_nibbles(std::vector<std::uint8_t>{12}, 1, 1);
  const std::vector<std::uint16_t> scale = {0x3800}, zero = {0x4100};
  for (const Int4Chain chain : kChains) {
    EXPECT_EQ(half_to_double(dequantize_u4(1, 1, 8, packed, scale, zero, chain)[0]), 4.75);
    EXPECT_EQ(half_to_double(dequantize_s4(1, 1, 8, packed, scale, zero, chain)[0]), 0.75);
  }
}

// Group g has its own zero point; with one shared or a neighbour's the elements would be equal.
TEST(DequantizeInt4, EachElementTakesTheZeroPointOfItsOwnGroup) {
  const std::size_t K = 24;
  const auto packed = pack_nibbles(std::vector<std::uint8_t>(K, 15), K, 1);
  const std::vector<std::uint16_t> scales(3, 0x3C00), zeros = {0x0000, 0x3C00, 0x4000};
  const auto weights = dequantize_u4(K, 1, 8, packed, scales, zeros, Int4Chain::half_chain);
  for (std::size_t k = 0; k < K; ++k) {
    const std::size_t group = k / 8;
    EXPECT_EQ(half_to_double(weights[k]), 15.0 - static_cast<double>(group));
  }
}

using Dequantize = decltype(&dequantize_u4);

std::vector<std::uint16_t> dequantize_vectors(const golden::Dataset& vectors, Dequantize dequantize,
                                              Int4Chain chain) {
  return dequantize(tests::parameter(vectors, "K"), tests::parameter(vectors, "N"),
                    tests::parameter(vectors, "group_size"),
                    tests::elements<std::uint32_t>(vectors, "packed", DType::u32),
                    tests::halves(vectors, "scales"), tests::halves(vectors, "zero_points"), chain);
}

/// `weights_exact` is (n - zero) * scale in float64. In float32 two roundings of 2^-24 come between, so the
/// float chain's weight is the rounding to half of some number within 2^-22 of it.
void expect_float_chain_near(std::span<const std::uint16_t> weights, std::span<const double> exact) {
  ASSERT_EQ(weights.size(), exact.size());
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (std::isnan(exact[i])) {
      ASSERT_TRUE(half_is_nan(weights[i])) << i;
      continue;
    }
    const double slack = std::isfinite(exact[i]) ? std::fabs(exact[i]) * 0x1p-22 : 0.0;
    const double weight = half_to_double(weights[i]);
    ASSERT_GE(weight, round_to_half(exact[i] - slack)) << i;
    ASSERT_LE(weight, round_to_half(exact[i] + slack)) << i;
  }
}

void expect_dequantized_vectors(const std::string& prefix, Dequantize dequantize) {
  for (const auto& path : tests::independent_vectors(prefix)) {
    SCOPED_TRACE(path);
    const golden::Dataset vectors = golden::read_safetensors(path);
    tests::expect_same_halves(dequantize_vectors(vectors, dequantize, Int4Chain::half_chain),
                              tests::halves(vectors, "weights_half_chain"));
    expect_float_chain_near(dequantize_vectors(vectors, dequantize, Int4Chain::float_chain),
                            tests::doubles(vectors, "weights_exact"));
  }
}

TEST(DequantizeInt4, U4AgreesWithIndependentVectors) {
  expect_dequantized_vectors("dequant_u4_", &dequantize_u4);
}
TEST(DequantizeInt4, S4AgreesWithIndependentVectors) {
  expect_dequantized_vectors("dequant_s4_", &dequantize_s4);
}

void expect_weights_of_gemm_vectors(const std::string& prefix, Dequantize dequantize) {
  for (const auto& path : tests::independent_vectors(prefix)) {
    SCOPED_TRACE(path);
    const golden::Dataset vectors = golden::read_safetensors(path);
    tests::expect_same_halves(dequantize_vectors(vectors, dequantize, Int4Chain::half_chain),
                              tests::halves(vectors, "weights"));
  }
}

TEST(DequantizeInt4, U4AgreesWithTheWeightsOfGemmVectors) {
  expect_weights_of_gemm_vectors("gemm_u4_", &dequantize_u4);
}
TEST(DequantizeInt4, S4AgreesWithTheWeightsOfGemmVectors) {
  expect_weights_of_gemm_vectors("gemm_s4_", &dequantize_s4);
}

}  // namespace
}  // namespace assay::reference
