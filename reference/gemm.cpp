// A half is an integer count of 2^-24 below 2^40, so a product is an integer count of 2^-48 below 2^80 and a
// sum of K < 2^47 products fits 127 bits: __int128 holds every partial sum exactly. Most matrices need far
// fewer bits, and then int64 does the same twice as fast.

#include "reference/gemm.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "reference/half.hpp"
#include "reference/shape.hpp"

namespace assay::reference {
namespace {

__extension__ typedef __int128 Int128;

constexpr std::size_t kPanelColumns = 8;

/// A matrix in units of 2^unit_exponent, the largest power of two that divides all of it; elements that are
/// not finite are 0 here and their rows and columns flagged.
struct UnitMatrix {
  UnitMatrix(std::span<const std::uint16_t> halves, std::size_t rows, std::size_t columns)
      : units(halves.size()), row_not_finite(rows, false), column_not_finite(columns, false) {
    for (std::size_t i = 0; i < halves.size(); ++i) {
      if (half_is_finite(halves[i])) {
        units[i] = half_to_units(halves[i]);
        bits_used |= static_cast<std::uint64_t>(std::abs(units[i]));
      } else {
        row_not_finite[i / columns] = true;
        column_not_finite[i % columns] = true;
      }
    }
    if (bits_used == 0) return;
    const int common_zeros = std::countr_zero(bits_used);
    for (std::int64_t& unit : units) unit >>= common_zeros;  // exact, signs included
    bits_used >>= common_zeros;
    unit_exponent += common_zeros;
  }

  std::vector<std::int64_t> units;
  std::vector<bool> row_not_finite;
  std::vector<bool> column_not_finite;
  int unit_exponent = kHalfUnitExponent;
  std::uint64_t bits_used = 0;  ///< the magnitudes or'ed together: its width is that of the largest
};

/// Sums of all finite elements; Sum is the type of the products and partial sums.
template <class Sum>
void accumulate(std::size_t M, std::size_t N, std::size_t K, const UnitMatrix& A, const UnitMatrix& W,
                GemmSums& result) {
  const double product_unit = std::ldexp(1.0, A.unit_exponent + W.unit_exponent);
  std::vector<std::int64_t> panel(K * kPanelColumns);  // columns first_n.. of W, padded with zeros
  for (std::size_t first_n = 0; first_n < N; first_n += kPanelColumns) {
    const std::size_t columns = std::min(kPanelColumns, N - first_n);
    for (std::size_t k = 0; k < K; ++k) {
      for (std::size_t j = 0; j < columns; ++j) {
        panel[k * kPanelColumns + j] = W.units[k * N + first_n + j];
      }
    }
    for (std::size_t m = 0; m < M; ++m) {
      Sum sum[kPanelColumns] = {};
      Sum magnitude[kPanelColumns] = {};
      for (std::size_t k = 0; k < K; ++k) {
        const Sum a = A.units[m * K + k];
        for (std::size_t j = 0; j < kPanelColumns; ++j) {
          const Sum product = a * panel[k * kPanelColumns + j];
          sum[j] += product;
          magnitude[j] += product < 0 ? -product : product;
        }
      }
      for (std::size_t j = 0; j < columns; ++j) {
        result.sum[m * N + first_n + j] = static_cast<double>(sum[j]) * product_unit;
        result.magnitude[m * N + first_n + j] = static_cast<double>(magnitude[j]) * product_unit;
      }
    }
  }
}

/// Replaces the sums of rows and columns that hold NaN or infinity by what IEEE gives. Doubles do: no finite
/// product or sum of halves comes near overflow, so only NaN and infinity decide.
void apply_not_finite(std::size_t M, std::size_t N, std::size_t K, std::span<const std::uint16_t> A,
                      std::span<const std::uint16_t> W, const UnitMatrix& a_units, const UnitMatrix& w_units,
                      GemmSums& result) {
  for (std::size_t m = 0; m < M; ++m) {
    for (std::size_t n = 0; n < N; ++n) {
      if (!a_units.row_not_finite[m] && !w_units.column_not_finite[n]) continue;
      double sum = 0.0;
      double magnitude = 0.0;
      for (std::size_t k = 0; k < K; ++k) {
        const double product = half_to_double(A[m * K + k]) * half_to_double(W[k * N + n]);
        sum += product;
        magnitude += std::fabs(product);
      }
      result.sum[m * N + n] = sum;
      result.magnitude[m * N + n] = magnitude;
    }
  }
}

}  // namespace

GemmSums gemm_sums(std::size_t M, std::size_t N, std::size_t K, std::span<const std::uint16_t> A,
                   std::span<const std::uint16_t> W) {
  check_positive("M", M);
  check_positive("N", N);
  check_positive("K", K);
  check_elements("A", A.size(), M, K, "M x K");
  check_elements("W", W.size(), K, N, "K x N");

  const UnitMatrix a_units(A, M, K);
  const UnitMatrix w_units(W, K, N);
  const std::size_t elements = checked_product("C", M, N);
  GemmSums result{std::vector<double>(elements), std::vector<double>(elements)};
  // |sum| <= K * max|a| * max|w| < 2^width.
  const auto width =
      std::bit_width(K) + std::bit_width(a_units.bits_used) + std::bit_width(w_units.bits_used);
  if (width <= std::numeric_limits<std::int64_t>::digits) {
    accumulate<std::int64_t>(M, N, K, a_units, w_units, result);
  } else {
    accumulate<Int128>(M, N, K, a_units, w_units, result);
  }
  apply_not_finite(M, N, K, A, W, a_units, w_units, result);
  return result;
}

}  // namespace assay::reference
