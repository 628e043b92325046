#include "properties/operations/products/exact_products.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "reference/half.hpp"

namespace assay::properties {
namespace {

/// Above every sum of two exponents of halves: a product with 0 is a multiple of anything.
constexpr std::int16_t kNoGranule = 4096;
/// Of a product of two halves that are not 0.
constexpr int kLargestGranule = 30;

/// Of a row, open elements one by one up to one in so many; beyond that, all of them side by side.
constexpr std::size_t kOpen = 32;

/// The largest e for which a half is a multiple of 2^e. NaN and infinity do not limit it: their sums are
/// judged by themselves. In 16 bits and without a branch, so that it becomes vectors.
std::int16_t granule_exponent(std::uint16_t half) {
  using Int = std::int16_t;
  const Int magnitude = static_cast<Int>(half & 0x7FFF), field = static_cast<Int>(magnitude >> 10);
  const Int significand = static_cast<Int>(field == 0 ? magnitude : (magnitude & 0x3FF) | 0x400);
  const Int lowest = static_cast<Int>(significand & -significand);  // its lowest bit, alone
  const Int place = static_cast<Int>(((lowest & 0xAAA) != 0 ? 1 : 0) + ((lowest & 0xCCC) != 0 ? 2 : 0) +
                                     ((lowest & 0x0F0) != 0 ? 4 : 0) + ((lowest & 0xF00) != 0 ? 8 : 0));
  const Int exponent = static_cast<Int>((field == 0 ? 1 : field) - 25 + place);
  return magnitude == 0 || magnitude >= reference::kHalfInfinity ? kNoGranule : exponent;
}

std::vector<std::int16_t> granule_exponents(std::span<const std::uint16_t> halves) {
  std::vector<std::int16_t> exponents(halves.size());
  std::transform(halves.begin(), halves.end(), exponents.begin(), granule_exponent);
  return exponents;
}

/// 2^exponent, without what std::ldexp() does for exponents that doubles do not have.
double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// Every sum, in every order, is exact in an accumulator of this unit roundoff.
bool sums_exactly(double magnitude, int granule, double unit) {
  if (!std::isfinite(magnitude)) return false;
  return granule > kLargestGranule || magnitude * unit <= power_of_two(granule);
}

}  // namespace

ExactProducts::ExactProducts(std::size_t M, std::size_t N, std::size_t K, std::span<const std::uint16_t> A,
                             std::span<const std::uint16_t> W)
    : N_(N),
      K_(K),
      of_a_(granule_exponents(A)),
      of_w_(granule_exponents(W)),
      rows_(M, Line{kNoGranule}),
      columns_(N, Line{kNoGranule}) {
  const auto see = [](Line& line, std::int16_t exponent, std::size_t k) {
    if (exponent == kNoGranule) return;
    ++line.terms;
    if (exponent >= line.smallest) return;
    line.smallest = exponent;
    line.at = k;
  };
  for (std::size_t m = 0; m < M; ++m) {
    for (std::size_t k = 0; k < K; ++k) see(rows_[m], of_a_[m * K + k], k);
  }
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t n = 0; n < N; ++n) see(columns_[n], of_w_[k * N + n], k);
  }
}

std::vector<bool> ExactProducts::of_row(std::size_t m, std::span<const double> magnitudes,
                                        double unit_roundoff) const {
  std::vector<bool> exact(N_);
  std::vector<std::size_t> open;
  for (std::size_t n = 0; n < N_; ++n) {
    // Not above the granule, and not below it.
    const int low = rows_[m].smallest + columns_[n].smallest, high = granule_by_one(m, n);
    exact[n] = sums_exactly(magnitudes[n], low, unit_roundoff);
    if (exact[n] || !sums_exactly(magnitudes[n], high, unit_roundoff)) continue;
    if (rows_[m].terms > 1 && columns_[n].terms > 1) {
      open.push_back(n);
    } else {
      exact[n] = true;  // no other product limits it
    }
  }
  if (open.size() * kOpen < N_) {
    for (const std::size_t n : open) exact[n] = sums_exactly(magnitudes[n], granule(m, n), unit_roundoff);
  } else {
    const auto all = granules(m);
    for (const std::size_t n : open) exact[n] = sums_exactly(magnitudes[n], all[n], unit_roundoff);
  }
  return exact;
}

bool ExactProducts::are_multiples(std::size_t m, std::size_t n, int exponent) const {
  return rows_[m].smallest + columns_[n].smallest >= exponent || granule(m, n) >= exponent;
}

/// Of the products that have the smallest exponent of the row, or of the column.
int ExactProducts::granule_by_one(std::size_t m, std::size_t n) const {
  const std::size_t by_row = rows_[m].at, by_column = columns_[n].at;
  return std::min(of_a_[m * K_ + by_row] + of_w_[by_row * N_ + n],
                  of_a_[m * K_ + by_column] + of_w_[by_column * N_ + n]);
}

int ExactProducts::granule(std::size_t m, std::size_t n) const {
  int smallest = kNoGranule;
  for (std::size_t k = 0; k < K_; ++k) smallest = std::min(smallest, of_a_[m * K_ + k] + of_w_[k * N_ + n]);
  return smallest;
}

std::vector<std::int16_t> ExactProducts::granules(std::size_t m) const {
  std::vector<std::int16_t> smallest(N_, kNoGranule);
  for (std::size_t k = 0; k < K_; ++k) {
    const std::int16_t a = of_a_[m * K_ + k];
    if (a == kNoGranule) continue;
    const std::int16_t* const w = of_w_.data() + k * N_;
    for (std::size_t n = 0; n < N_; ++n)
      smallest[n] = std::min(smallest[n], static_cast<std::int16_t>(a + w[n]));
  }
  return smallest;
}

}  // namespace assay::properties
