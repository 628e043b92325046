#include "properties/blas/exact_sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "properties/blas/multiply.hpp"
#include "properties/blas/operand.hpp"
#include "reference/half.hpp"
#include "reference/shape.hpp"

namespace assay::blas {
namespace {

using reference::GemmSums;

__extension__ typedef __int128 Int128;

/// Below these a product costs less than to write its operands anew.
constexpr std::size_t kFewRows = 4, kFewProducts = 1 << 15;

/// Elements of a block of A, each of which is two doubles, and of a panel of W at a time: one. The library
/// arranges the block anew for each panel, so panels have no fewer columns than some; larger ones leave
/// the caches before they are read.
constexpr std::size_t kBlock = std::size_t{1} << 24, kPanel = std::size_t{1} << 22;
constexpr std::size_t kFewestRows = 64, kFewestColumns = 512, kMostColumns = 4096;

/// A panel may have as many elements where K is long, in fewer columns.
constexpr std::size_t kLargestPanel = std::size_t{1} << 23;

/// How many slices rows and columns are cut into, and the bits of each.
struct Cut {
  int rows = 1, columns = 1, row_bits = 0, column_bits = 0;
};

/// The fewest products of slices all of whose sums fit the 53 bits of a double.
Cut cut_of(int row_bits, int column_bits, std::size_t K) {
  const int left = std::numeric_limits<double>::digits - static_cast<int>(std::bit_width(K));
  Cut best{.rows = row_bits + 1, .columns = column_bits + 1, .row_bits = 1, .column_bits = 1};
  for (int rows = 1; rows <= std::max(row_bits, 1); ++rows) {
    for (int columns = 1; columns <= std::max(column_bits, 1); ++columns) {
      const Cut cut{rows, columns, (row_bits + rows - 1) / rows, (column_bits + columns - 1) / columns};
      if (cut.row_bits + cut.column_bits <= left && rows * columns < best.rows * best.columns) best = cut;
    }
  }
  return best;
}

/// What becomes of a block and a panel: places in the results, whose rows lie `stride` apart.
struct Place {
  std::span<double> sum, magnitude;
  std::size_t stride;
};

/// A product of two operands that fit: doubles hold every partial sum. The signs of W are lost.
void whole_product(const Operand& A, std::span<const double> magnitudes, Operand& W, const Place& to) {
  multiply(A.rows, W.columns, W.rows, A.values, W.values, to.sum, to.stride);
  for (std::size_t m = 0; m < A.rows; ++m) {
    for (double& sum : to.sum.subspan(m * to.stride, W.columns)) sum += 0.0;  // no -0
  }
  drop_signs(W.values);
  multiply(A.rows, W.columns, W.rows, magnitudes, W.values, to.magnitude, to.stride);
}

/// One that does not, slice by slice.
void sliced_product(const Operand& A, const Operand& W, const Cut& cut, const Place& to) {
  const std::size_t elements = A.rows * W.columns;
  std::vector<double> part(elements);
  for (const bool absolute : {false, true}) {
    std::vector<Int128> total(elements);
    for (int i = 0; i < cut.rows; ++i) {
      auto a = slice_of(A, true, i * cut.row_bits, cut.row_bits);
      if (absolute) drop_signs(a);
      for (int j = 0; j < cut.columns; ++j) {
        auto w = slice_of(W, false, j * cut.column_bits, cut.column_bits);
        if (absolute) drop_signs(w);
        multiply(A.rows, W.columns, W.rows, a, w, part, W.columns);
        const Int128 weight = Int128{1} << (i * cut.row_bits + j * cut.column_bits);
        for (std::size_t e = 0; e < elements; ++e) total[e] += static_cast<std::int64_t>(part[e]) * weight;
      }
    }
    const std::span<double> result = absolute ? to.magnitude : to.sum;
    for (std::size_t m = 0; m < A.rows; ++m) {
      for (std::size_t n = 0; n < W.columns; ++n) {
        result[m * to.stride + n] =
            std::ldexp(static_cast<double>(total[m * W.columns + n]),
                       A.bits[m].low + W.bits[n].low + 2 * reference::kHalfUnitExponent);
      }
    }
  }
}

class Product {
 public:
  Product(std::size_t M, std::size_t N, std::size_t K, std::span<const std::uint16_t> A,
          std::span<const std::uint16_t> W)
      : M_(M), N_(N), K_(K), A_(A), W_(W), result_{std::vector<double>(M * N), std::vector<double>(M * N)} {}

  GemmSums run() {
    const std::size_t rows = std::clamp(kBlock / K_, kFewestRows, std::max(M_, kFewestRows));
    const std::size_t fewest = std::clamp<std::size_t>(kLargestPanel / K_, 1, kFewestColumns);
    const std::size_t columns = std::clamp(kPanel / K_, fewest, kMostColumns);
    std::vector<std::size_t> bad_rows, bad_columns;
    Operand a, w;
    Unwritten<double> magnitudes;
    for (std::size_t m = 0; m < M_; m += rows) {
      read_rows(A_, K_, m, std::min(rows, M_ - m), a);
      magnitudes = a.values;
      drop_signs(magnitudes);
      note(a, m, bad_rows);
      for (std::size_t n = 0; n < N_; n += columns) {
        read_columns(W_, N_, n, std::min(columns, N_ - n), w);
        if (m == 0) note(w, n, bad_columns);
        const Place to{std::span(result_.sum).subspan(m * N_ + n),
                       std::span(result_.magnitude).subspan(m * N_ + n), N_};
        const Cut cut = cut_of(a.widest(), w.widest(), K_);
        if (cut.rows * cut.columns == 1) {
          whole_product(a, magnitudes, w, to);
        } else {
          sliced_product(a, w, cut, to);
        }
      }
    }
    by_rows(bad_rows);
    by_columns(bad_columns);
    return std::move(result_);
  }

 private:
  static void note(const Operand& operand, std::size_t first, std::vector<std::size_t>& lines) {
    for (std::size_t i = 0; i < operand.not_finite.size(); ++i) {
      if (operand.not_finite[i]) lines.push_back(first + i);
    }
  }

  // Lines with NaN or infinity are few: the plain loop has them as IEEE does.

  void by_rows(const std::vector<std::size_t>& rows) {
    if (rows.empty()) return;
    std::vector<std::uint16_t> some;
    for (const std::size_t m : rows)
      some.insert(some.end(), A_.begin() + static_cast<std::ptrdiff_t>(m * K_),
                  A_.begin() + static_cast<std::ptrdiff_t>((m + 1) * K_));
    const GemmSums sums = reference::gemm_sums(rows.size(), N_, K_, some, W_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t n = 0; n < N_; ++n) put(rows[i] * N_ + n, sums, i * N_ + n);
    }
  }

  void by_columns(const std::vector<std::size_t>& columns) {
    if (columns.empty()) return;
    std::vector<std::uint16_t> some(K_ * columns.size());
    for (std::size_t k = 0; k < K_; ++k) {
      for (std::size_t j = 0; j < columns.size(); ++j) some[k * columns.size() + j] = W_[k * N_ + columns[j]];
    }
    const GemmSums sums = reference::gemm_sums(M_, columns.size(), K_, A_, some);
    for (std::size_t m = 0; m < M_; ++m) {
      for (std::size_t j = 0; j < columns.size(); ++j) put(m * N_ + columns[j], sums, m * columns.size() + j);
    }
  }

  void put(std::size_t to, const GemmSums& sums, std::size_t from) {
    result_.sum[to] = sums.sum[from];
    result_.magnitude[to] = sums.magnitude[from];
  }

  std::size_t M_, N_, K_;
  std::span<const std::uint16_t> A_, W_;
  GemmSums result_;
};

}  // namespace

GemmSums exact_sums(std::size_t M, std::size_t N, std::size_t K, std::span<const std::uint16_t> A,
                    std::span<const std::uint16_t> W) {
  const bool empty = M == 0 || N == 0 || K == 0;  // gemm_sums() says what is wrong with that
  if (empty || M < kFewRows || M * N * K < kFewProducts) return reference::gemm_sums(M, N, K, A, W);
  reference::check_elements("A", A.size(), M, K, "M x K");
  reference::check_elements("W", W.size(), K, N, "K x N");
  return Product(M, N, K, A, W).run();
}

}  // namespace assay::blas
