// Which elements of a product come out the same in every order of summation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::properties {

/// Of A [M, K] and W [K, N], halves: element by element the granule, the largest 2^e of which every product
/// a[m,k] * w[k,n] is a multiple. Where sum|a w| is at most 2^e / u, every partial sum in every order is
/// exact in an accumulator of unit roundoff u. To find 2^e takes as long as the product itself, so that it is
/// asked for only where bounds from rows, columns and single products leave it open.
class ExactProducts {
 public:
  ExactProducts(std::size_t M, std::size_t N, std::size_t K, std::span<const std::uint16_t> A,
                std::span<const std::uint16_t> W);

  /// Of row m, by column: whether each order gives the same sum, where these are the sums of magnitudes [N].
  /// False where one is not finite.
  std::vector<bool> of_row(std::size_t m, std::span<const double> magnitudes, double unit_roundoff) const;

  /// Whether every product of an element, and so every partial sum, is a multiple of 2^exponent.
  bool are_multiples(std::size_t m, std::size_t n, int exponent) const;

 private:
  /// Of a row of A or a column of W: its smallest exponent, where it stands, and how many elements are not 0.
  struct Line {
    std::int16_t smallest = 0;
    std::size_t at = 0, terms = 0;
  };

  int granule_by_one(std::size_t m, std::size_t n) const;
  int granule(std::size_t m, std::size_t n) const;
  std::vector<std::int16_t> granules(std::size_t m) const;

  std::size_t N_, K_;
  std::vector<std::int16_t> of_a_, of_w_;
  std::vector<Line> rows_, columns_;
};

}  // namespace assay::properties
