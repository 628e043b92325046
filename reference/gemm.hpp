// C = A x W over halves, summed without error (docs/operations.md, "The forward error bound").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::reference {

/// Both [M, N], row-major.
struct GemmSums {
  std::vector<double> sum;        ///< sum over k of a*w, exact, then rounded once to double
  std::vector<double> magnitude;  ///< sum over k of |a*w|, likewise
};

/// A [M, K] and W [K, N], halves. The exact sums need no order of summation.
/// NaN and infinities follow IEEE: a NaN factor, 0 * infinity or +infinity with -infinity gives NaN.
/// A sum of zero is +0. Throws std::invalid_argument naming the field on sizes of zero or that do not match.
GemmSums gemm_sums(std::size_t M, std::size_t N, std::size_t K, std::span<const std::uint16_t> A,
                   std::span<const std::uint16_t> W);

}  // namespace assay::reference
