// The plain loop is the oracle of the product by a BLAS: bits must be the same, whatever is summed.
#include "properties/blas/exact_sums.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "properties/blas/multiply.hpp"
#include "properties/blas/operand.hpp"
#include "reference/half.hpp"

namespace assay::blas {
namespace {

using Halves = std::vector<std::uint16_t>;
using reference::GemmSums;

constexpr std::uint16_t kOne = 0x3C00, kLargest = 0x7BFF, kInfinity = 0x7C00;

/// Halves whose magnitudes, as bit patterns, are from `low` to `high`, in a fixed disorder.
Halves disorder(std::size_t count, std::uint16_t low, std::uint16_t high, std::uint64_t seed) {
  Halves halves(count);
  for (std::uint16_t& half : halves) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    half = static_cast<std::uint16_t>(low + (seed >> 33) % (high - low + 1U));
    if (seed >> 63 != 0) half |= 0x8000;
  }
  return halves;
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) ? !std::isnan(b[i])
                         : std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i]))
      return false;
  }
  return true;
}

::testing::AssertionResult as_the_plain_loop(std::size_t M, std::size_t N, std::size_t K, const Halves& A,
                                             const Halves& W) {
  const GemmSums fast = exact_sums(M, N, K, A, W), plain = reference::gemm_sums(M, N, K, A, W);
  if (!same(fast.sum, plain.sum)) return ::testing::AssertionFailure() << "sums differ";
  if (!same(fast.magnitude, plain.magnitude)) return ::testing::AssertionFailure() << "magnitudes differ";
  return ::testing::AssertionSuccess();
}

// Integers, ordinary values, subnormals and all finite halves: one product, or several of slices.
RC_GTEST_PROP(ExactSums, AreThoseOfThePlainLoopForAnyShapeAndAnyFiniteHalves, ()) {
  const auto M = *rc::gen::inRange<std::size_t>(4, 40), N = *rc::gen::inRange<std::size_t>(96, 180);
  const auto K = *rc::gen::inRange<std::size_t>(90, 200);
  using Range = std::pair<std::uint16_t, std::uint16_t>;
  const auto range = rc::gen::element(Range{0x0000, 0x0007}, Range{0x0000, 0x03FF}, Range{0x2C00, 0x4400},
                                      Range{kOne, kOne}, Range{0x0000, kLargest});
  const auto a = *range, w = *range;
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  RC_ASSERT(as_the_plain_loop(M, N, K, disorder(M * K, a.first, a.second, seed),
                              disorder(K * N, w.first, w.second, seed + 1)));
}

// Past the ends of blocks of rows and panels of columns.
TEST(ExactSums, AreThoseOfThePlainLoopWhereBlocksAndPanelsMeet) {
  const std::size_t K = 300000, M = 67, N = 31;
  EXPECT_TRUE(
      as_the_plain_loop(M, N, K, disorder(M * K, 0x2C00, 0x4400, 1), disorder(K * N, 0x2C00, 0x3400, 2)));
  const std::size_t few = 4, wide = 215, deep = 40000;  // cut into slices, each panel of which has its place
  EXPECT_TRUE(as_the_plain_loop(few, wide, deep, disorder(few * deep, 0, kLargest, 3),
                                disorder(deep * wide, 0, kLargest, 4)));
}

TEST(ExactSums, CancellationThatDoublesWouldLoseIsExact) {
  const std::size_t M = 8, N = 64, K = 128;
  Halves A(M * K, 0), W(K * N, 0);
  for (std::size_t m = 0; m < M; ++m) {
    A[m * K] = A[m * K + 2] = kLargest;
    A[m * K + 1] = 0x0001;
  }
  for (std::size_t n = 0; n < N; ++n) {
    W[n] = kLargest;
    W[N + n] = 0x0001;
    W[2 * N + n] = kLargest | 0x8000;
  }
  const GemmSums sums = exact_sums(M, N, K, A, W);
  EXPECT_EQ(sums.sum, std::vector<double>(M * N, 0x1p-48));
  EXPECT_EQ(sums.magnitude, std::vector<double>(M * N, 2 * 65504.0 * 65504.0));
}

// 0 * infinity is NaN wherever it stands, and a BLAS may skip zeroes.
TEST(ExactSums, NanAndInfinityStayInTheirRowsAndColumns) {
  const std::size_t M = 12, N = 70, K = 64;
  for (const std::uint16_t special : {kInfinity, std::uint16_t{0xFC00}, std::uint16_t{0x7E00}}) {
    for (const std::uint16_t beside : {std::uint16_t{0}, kOne}) {
      Halves A(M * K, beside), W = disorder(K * N, 0, kOne, 7);
      A[3 * K + 5] = special;
      W[63 * N + 69] = special;
      W[0] = special;
      EXPECT_TRUE(as_the_plain_loop(M, N, K, A, W)) << special << " beside " << beside;
    }
  }
}

TEST(ExactSums, ASumOfZeroIsPositive) {
  const std::size_t M = 8, N = 64, K = 128;
  const GemmSums sums = exact_sums(M, N, K, Halves(M * K, 0x8000), Halves(K * N, kOne));
  for (const double sum : sums.sum) EXPECT_FALSE(std::signbit(sum));
}

TEST(ExactSums, RefusesSizesThatDoNotFollow) {
  const Halves four(4, 0), many(8 * 64 * 128, 0);
  EXPECT_THROW(exact_sums(0, 2, 2, {}, four), std::invalid_argument);
  EXPECT_THROW(exact_sums(2, 2, 3, four, four), std::invalid_argument);
  EXPECT_THROW(exact_sums(8, 64, 128, four, many), std::invalid_argument);
  EXPECT_THROW(exact_sums(8, 64, 1024, many, four), std::invalid_argument);
  const std::vector<double> doubles(4);
  std::vector<double> out(4);
  EXPECT_THROW(multiply(2, 2, 3, doubles, doubles, out, 2), std::invalid_argument);
  EXPECT_THROW(multiply(0, 2, 2, {}, doubles, out, 2), std::invalid_argument);
  EXPECT_THROW(multiply(2, 2, 2, doubles, doubles, out, 1), std::invalid_argument);  // rows would overlap
  EXPECT_THROW(multiply(2, 2, 2, doubles, doubles, out, 3), std::invalid_argument);  // the last has no room
}

TEST(Operand, HasEveryHalfAsADoubleAndSaysWhichBitsItsLinesTake) {
  Halves all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  Operand rows, columns;
  read_rows(all, 1, 0, all.size(), rows);
  read_columns(all, all.size(), 0, all.size(), columns);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool finite = reference::half_is_finite(all[i]);
    const double value =
        finite ? reference::half_to_double(all[i]) : std::copysign(0.0, all[i] >> 15 ? -1 : 1);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(rows.values[i]), std::bit_cast<std::uint64_t>(value)) << i;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(columns.values[i]), std::bit_cast<std::uint64_t>(value)) << i;
    ASSERT_EQ(rows.not_finite[i], !finite) << i;
    ASSERT_EQ(columns.not_finite[i], !finite) << i;
    const auto units = static_cast<std::uint64_t>(std::fabs(value) * 0x1p24);
    ASSERT_EQ(rows.bits[i].high, std::bit_width(units)) << i;
    ASSERT_EQ(rows.bits[i].low, units == 0 ? 0 : std::countr_zero(units)) << i;
  }
  const auto values = rows.values;
  drop_signs(rows.values);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(rows.values[i]),
              std::bit_cast<std::uint64_t>(std::fabs(values[i])));
  }
}

}  // namespace
}  // namespace assay::blas
