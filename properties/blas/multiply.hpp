// The only place that calls a BLAS: OpenBLAS, as Debian has it (docs/operations.md, "The forward error
// bound").
#pragma once

#include <cstddef>
#include <span>

namespace assay::blas {

/// C = A x B for A [M, K], B [K, N] and C [M, N], row-major doubles, on one core; rows of C lie `stride`
/// apart. The order of summation is
/// the library's, and differs between machines: C is the same on all of them where every sum of some of its
/// terms is exact in double, and only there may anything depend on its last bits. NaN and infinity are not
/// promised to come out as IEEE has them. One thread of a process at a time: more of them would map memory,
/// which confined processes may not. Where a limit leaves the program too little memory for the library, a
/// plain loop. Throws std::invalid_argument where the spans have other sizes, or a
/// size does not fit in 31 bits.
void multiply(std::size_t M, std::size_t N, std::size_t K, std::span<const double> A,
              std::span<const double> B, std::span<double> C, std::size_t stride);

}  // namespace assay::blas
