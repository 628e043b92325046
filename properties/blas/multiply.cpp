#include "properties/blas/multiply.hpp"

#include <cblas.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace assay::blas {
namespace {

blasint side(const char* name, std::size_t size) {
  if (size == 0 || size > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw std::invalid_argument(std::string(name) + ": must be positive and fit in 31 bits");
  return static_cast<blasint>(size);
}

/// With its first product the library maps the memory that it works in, by a call of the system that confined
/// processes may not make: so that is done as the program starts, by a product that is too large for the ways
/// without it. Processes that are forked have that memory too, and one product at a time needs no more.
[[maybe_unused]] const bool memory_is_mapped = [] {
  constexpr std::size_t kSide = 16, kLong = 8192;
  const std::vector<double> A(kSide * kLong), B(kLong * kSide);
  std::vector<double> C(kSide * kSide);
  multiply(kSide, kSide, kLong, A, B, C, kSide);
  return true;
}();

}  // namespace

void multiply(std::size_t M, std::size_t N, std::size_t K, std::span<const double> A,
              std::span<const double> B, std::span<double> C, std::size_t stride) {
  const blasint m = side("M", M), n = side("N", N), k = side("K", K), apart = side("stride", stride);
  if (A.size() != M * K || B.size() != K * N || stride < N || C.size() < (M - 1) * stride + N)
    throw std::invalid_argument("multiply: A, B and C must be [M, K], [K, N] and [M, N]");
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0, A.data(), k, B.data(), n, 0.0,
              C.data(), apart);
}

}  // namespace assay::blas
