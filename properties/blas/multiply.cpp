#include "properties/blas/multiply.hpp"

#include <cblas.h>
#include <sys/mman.h>

#include <algorithm>
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

/// The library wants less than this for its work, and where it does not get it, it asks for ever.
constexpr std::size_t kWork_bytes = std::size_t{1} << 28;

bool has_room() {
  void* const room =
      mmap(nullptr, kWork_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return room != MAP_FAILED && munmap(room, kWork_bytes) == 0;
}

/// With its first product the library maps the memory that it works in, by a call of the system that confined
/// processes may not make: so that is done as the program starts, by a product that is too large for the ways
/// without it. Processes that are forked have that memory too, and one product at a time needs no more.
bool map_memory() {
  if (!has_room()) return false;
  constexpr blasint kSide = 16, kLong = 8192;
  const std::vector<double> A(kSide * kLong), B(kLong * kSide);
  std::vector<double> C(kSide * kSide);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kSide, kSide, kLong, 1.0, A.data(), kLong, B.data(),
              kSide, 0.0, C.data(), kSide);
  return true;
}

/// False under a limit of memory: products then go without the library.
const bool memory_is_mapped = map_memory();

void multiply_plainly(std::size_t M, std::size_t N, std::size_t K, std::span<const double> A,
                      std::span<const double> B, std::span<double> C, std::size_t stride) {
  for (std::size_t m = 0; m < M; ++m) {
    const auto row = C.subspan(m * stride, N);
    std::fill(row.begin(), row.end(), 0.0);
    for (std::size_t k = 0; k < K; ++k) {
      for (std::size_t n = 0; n < N; ++n) row[n] += A[m * K + k] * B[k * N + n];
    }
  }
}

}  // namespace

void multiply(std::size_t M, std::size_t N, std::size_t K, std::span<const double> A,
              std::span<const double> B, std::span<double> C, std::size_t stride) {
  const blasint m = side("M", M), n = side("N", N), k = side("K", K), apart = side("stride", stride);
  if (A.size() != M * K || B.size() != K * N || stride < N || C.size() < (M - 1) * stride + N)
    throw std::invalid_argument("multiply: A, B and C must be [M, K], [K, N] and [M, N]");
  if (!memory_is_mapped) return multiply_plainly(M, N, K, A, B, C, stride);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0, A.data(), k, B.data(), n, 0.0,
              C.data(), apart);
}

}  // namespace assay::blas
