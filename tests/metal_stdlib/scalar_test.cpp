#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <random>

#include "tests/half_oracle.hpp"
#include "tests/metal_stdlib/fake_runtime.hpp"

extern "C" {
std::uint16_t half_binary(int operation, std::uint16_t a, std::uint16_t b);
std::uint16_t half_sqrt(std::uint16_t a);
std::uint16_t half_fma(std::uint16_t a, std::uint16_t b, std::uint16_t c);
std::uint16_t half_mad(std::uint16_t a, std::uint16_t b, std::uint16_t c);
std::uint16_t half_of_double(double x);
std::uint16_t half_of_uint(unsigned x);
std::uint16_t half_of_long(long x);
std::uint16_t bfloat_of_float(float x);
float bfloat_to_float(std::uint16_t x);
void scalar_min_max_clamp();
void scalar_rounding_functions();
void scalar_transcendental_functions();
void scalar_relational_functions();
void scalar_geometric_functions();
void scalar_integer_functions();
void scalar_limits_and_traits();
}

namespace {

std::uint16_t canonical(std::uint16_t half) { return oracle::is_nan(half) ? std::uint16_t{0x7E00} : half; }

// Zeros, ones, subnormals, ends of ranges, infinities, NaN, and numbers with the last bits of the fraction
// set.
constexpr std::array<std::uint16_t, 36> kEdges = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x0002, 0x01FF, 0x0200, 0x03FF, 0x83FF, 0x0400, 0x0401, 0x8400,
    0x1000, 0x1001, 0x2FFF, 0x3800, 0x3BFF, 0x3C00, 0xBC00, 0x3C01, 0xBC01, 0x3FFF, 0x4000, 0x5BFF,
    0x63FF, 0x6400, 0x6BFF, 0x6C00, 0xEC01, 0x7800, 0x7BFE, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00};

double exact(int operation, double a, double b) {
  switch (operation) {
    case 0:
      return a + b;
    case 1:
      return a - b;
    case 2:
      return a * b;
    default:
      return a / b;  // a double has more than 2 * 11 + 2 bits: no double rounding
  }
}

TEST(HalfArithmetic, EachOperationRoundsOnceForEveryLeftOperand) {
  for (int operation = 0; operation < 4; ++operation) {
    for (const auto b : kEdges) {
      for (unsigned a = 0; a < 65536; ++a) {
        const auto left = static_cast<std::uint16_t>(a);
        const auto expected = oracle::round(exact(operation, oracle::value(left), oracle::value(b)));
        ASSERT_EQ(canonical(half_binary(operation, left, b)), canonical(expected))
            << "operation " << operation << " of " << std::hex << left << " and " << b;
      }
    }
  }
}

TEST(HalfArithmetic, SquareRootOfEveryHalf) {
  for (unsigned a = 0; a < 65536; ++a) {
    const auto x = static_cast<std::uint16_t>(a);
    ASSERT_EQ(canonical(half_sqrt(x)), canonical(oracle::round(std::sqrt(oracle::value(x)))))
        << std::hex << a;
  }
}

TEST(HalfArithmetic, ProductIsRoundedBeforeTheSum) {
  std::mt19937 random(1);
  int differs = 0;
  for (int i = 0; i < 300000; ++i) {
    const auto a = static_cast<std::uint16_t>(0x3C00 | (random() & 0x3FF));
    const auto b = static_cast<std::uint16_t>(0x3C00 | (random() & 0x3FF));
    const auto c = static_cast<std::uint16_t>(0xBC00 | (random() & 0x3FF));
    const double product = oracle::value(oracle::round(oracle::value(a) * oracle::value(b)));
    ASSERT_EQ(half_mad(a, b, c), oracle::round(product + oracle::value(c)));
    if (half_mad(a, b, c) != half_fma(a, b, c)) ++differs;
  }
  EXPECT_GT(differs, 1000);  // the inputs can tell one rounding from two
}

TEST(HalfFma, RoundsOnceForEdgeTriples) {
  for (const auto a : kEdges) {
    for (const auto b : kEdges) {
      for (const auto c : kEdges) {
        ASSERT_EQ(canonical(half_fma(a, b, c)), oracle::fma(a, b, c))
            << std::hex << a << " " << b << " " << c;
      }
    }
  }
}

TEST(HalfFma, RoundsOnceForRandomTriples) {
  std::mt19937 random(2);
  for (int i = 0; i < 2000000; ++i) {
    const auto bits = random();
    const auto a = static_cast<std::uint16_t>(bits), b = static_cast<std::uint16_t>(bits >> 16);
    const auto c = static_cast<std::uint16_t>(random());
    ASSERT_EQ(canonical(half_fma(a, b, c)), oracle::fma(a, b, c)) << std::hex << a << " " << b << " " << c;
  }
}

// Products within 2^-12 of half a step of the addend: rounded to float the sum is a tie, which it is not.
TEST(HalfFma, RoundsOnceNearTies) {
  std::mt19937 random(3);
  int double_rounding_differs = 0;
  for (int i = 0; i < 1000000; ++i) {
    const auto c = static_cast<std::uint16_t>(((random() % 14 + 16) << 10) | (random() & 0x3FF));
    const double half_step = std::ldexp(1.0, (c >> 10) - 26);
    const auto a = static_cast<std::uint16_t>(0x3C00 | (random() & 0x3FF) | (random() & 1 ? 0x8000 : 0));
    const auto b = oracle::round(half_step / oracle::value(static_cast<std::uint16_t>(a & 0x7FFF)));
    const auto expected = oracle::fma(a, b, c);
    ASSERT_EQ(half_fma(a, b, c), expected) << std::hex << a << " " << b << " " << c;
    const auto in_float = static_cast<float>(oracle::value(a) * oracle::value(b) + oracle::value(c));
    if (oracle::round(static_cast<double>(in_float)) != expected) ++double_rounding_differs;
  }
  EXPECT_GT(double_rounding_differs, 1000);  // the inputs can tell
}

TEST(HalfConversion, FromIntegersAndDoubles) {
  for (unsigned i = 0; i < 140000; ++i) ASSERT_EQ(half_of_uint(i), oracle::round(i)) << i;
  std::mt19937_64 random(4);
  for (int i = 0; i < 500000; ++i) {
    const auto bits = random();
    const auto word = static_cast<unsigned>(bits >> (32 + bits % 32));
    ASSERT_EQ(half_of_uint(word), oracle::round(word));
    const auto wide = static_cast<long>(bits) >> (bits % 64);
    ASSERT_EQ(half_of_long(wide), oracle::round(static_cast<double>(wide)));
    // Halves, halfway points between them, and their neighbours among doubles.
    const auto half = static_cast<std::uint16_t>(random() % 0x7BFF);
    const double next = oracle::value(static_cast<std::uint16_t>(half + 1));
    double x = (oracle::value(half) + next) / 2;
    if (i % 3 == 1) x = std::nextafter(x, 1e9);
    if (i % 3 == 2) x = std::nextafter(x, -1e9);
    if (i % 2) x = -x;
    ASSERT_EQ(half_of_double(x), oracle::round(x)) << x;
  }
  EXPECT_EQ(half_of_double(65519.99), 0x7BFF);
  EXPECT_EQ(half_of_double(65520), 0x7C00);
  EXPECT_EQ(half_of_double(-1e300), 0xFC00);
  EXPECT_EQ(half_of_double(0x1p-25), 0);
  EXPECT_EQ(half_of_double(1e-300), 0);
  EXPECT_EQ(half_of_double(-1e-300), 0x8000);
  EXPECT_EQ(half_of_double(0x1.0000000000001p-25), 1);
}

TEST(Bfloat, NearestEvenOfRandomFloats) {
  std::mt19937 random(5);
  for (int i = 0; i < 1000000; ++i) {
    auto bits = static_cast<std::uint32_t>(random());
    if (i % 4 == 0) bits = (bits & 0xFFFF0000) | 0x8000;  // ties
    const auto x = std::bit_cast<float>(bits);
    const auto rounded = bfloat_of_float(x);
    if (std::isnan(x)) {
      ASSERT_TRUE(std::isnan(bfloat_to_float(rounded)));
      continue;
    }
    const std::uint32_t below = bits >> 16, rest = bits & 0xFFFF;
    const auto expected = below + (rest > 0x8000 || (rest == 0x8000 && (below & 1)) ? 1 : 0);
    ASSERT_EQ(rounded, expected) << std::hex << bits;
  }
}

TEST(Bfloat, EveryValueSurvivesTheWayToFloatAndBack) {
  for (unsigned i = 0; i < 65536; ++i) {
    const auto x = static_cast<std::uint16_t>(i);
    if (!std::isnan(bfloat_to_float(x))) {
      ASSERT_EQ(bfloat_of_float(bfloat_to_float(x)), x);
    }
  }
}

TEST(ScalarFunctions, MinMaxClamp) { scalar_min_max_clamp(); }
TEST(ScalarFunctions, Rounding) { scalar_rounding_functions(); }
TEST(ScalarFunctions, Transcendental) { scalar_transcendental_functions(); }
TEST(ScalarFunctions, Relational) { scalar_relational_functions(); }
TEST(ScalarFunctions, Geometric) { scalar_geometric_functions(); }
TEST(ScalarFunctions, Integer) { scalar_integer_functions(); }
TEST(ScalarFunctions, LimitsAndTraits) { scalar_limits_and_traits(); }

}  // namespace
