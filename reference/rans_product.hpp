// y = x W^T with rANS weights in float32 (docs/formats.md, "rANS"): what a kernel may give.
//
// Two freedoms are a kernel's, and each sum may use them as it likes. A weight w = symbol * scale +
// zero_point is rounded once where the compiler contracts it, twice where it does not. And terms are added in
// any order, with products rounded or contracted into the sum. The first is enumerated: there are two floats
// for each of 16 symbols, and a sum lies between the sums of the lesser and of the greater products. The
// second is bounded: each term meets at most N roundings, its product's and N - 1 additions', so a computed
// sum lies within gamma_N * sum |w x| of the exact one, gamma_N = N u / (1 - N u), u = 2^-24, plus 2^-149 for
// each product that may underflow (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
// sections 2.1 and 3.1).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/rans_frequencies.hpp"

namespace assay::reference {

/// The floats that the weight of each symbol may be.
struct RansWeights {
  std::array<float, kRansSymbols> contracted;  ///< RN32(symbol * scale + zero_point)
  std::array<float, kRansSymbols> separate;    ///< RN32(RN32(symbol * scale) + zero_point)
  bool flushed = false;  ///< subnormal operands and results may be zero; so in all that is made of these
  bool between = false;  ///< a weight may be others between the two
};

RansWeights rans_weights(float scale, float zero_point);
/// The least and the greatest that each may be where subnormals are kept or flushed.
RansWeights flushed_rans_weights(float scale, float zero_point);

/// All [batch, M].
struct RansSums {
  std::vector<double> low;        ///< sum over n of the lesser of the two products
  std::vector<double> high;       ///< and of the greater; NaN and infinities follow IEEE
  std::vector<double> magnitude;  ///< sum over n of the greater |w x|
  std::vector<bool> exact;        ///< no order of summation rounds: right is what is from low to high
  double underflow = 0x1p-149;    ///< what a term may lose to it
};

/// symbols [M, N], each below 16; x [batch, N]. Sums carry a few roundings to double, or none where `exact`.
/// Throws std::invalid_argument naming the field on sizes of 0 or that do not match.
RansSums rans_sums(std::size_t batch, std::size_t M, std::size_t N, std::span<const std::uint8_t> symbols,
                   const RansWeights& weights, std::span<const float> x);

/// The float32 results that are right for one sum of N terms.
struct RansInterval {
  float low, high;
};

/// Throws std::domain_error when N u is not below 1/4, so that the bound says nothing, or when a partial sum
/// might overflow.
RansInterval rans_interval(const RansSums& sums, std::size_t index, std::size_t N);

}  // namespace assay::reference
