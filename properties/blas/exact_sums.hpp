// C = A x W over halves, summed without error, by a BLAS: what reference::gemm_sums() gives, at its speed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "reference/gemm.hpp"

namespace assay::blas {

/// As reference::gemm_sums(), bit for bit, on every machine; throws as it does. Doubles sum integers of up to
/// 53 bits without error in any order: rows and columns whose products need more are cut into slices of fewer
/// bits, the products of slices are summed apart, and their sums joined as integers.
reference::GemmSums exact_sums(std::size_t M, std::size_t N, std::size_t K, std::span<const std::uint16_t> A,
                               std::span<const std::uint16_t> W);

}  // namespace assay::blas
