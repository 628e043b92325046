// A histogram of numbers whose range nobody knows beforehand, in one pass and exact.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay {

/// So many of the numbers lie in [low, high); where both ends are equal, they are `low`.
struct Bin {
  double low = 0, high = 0;
  std::uint64_t count = 0;
};

/// At most 16 bins side by side, as wide as the least power of two with which 16 are enough; each begins at a
/// multiple of its width. Bins of such widths are merged without an error as the range grows, so the result
/// depends on the numbers and not on their order. Once there are two different numbers, that makes 9 bins or
/// more, unless the width may not be less.
class Histogram {
 public:
  static constexpr std::size_t kMostBins = 16;

  /// Bins are 2^least_exponent wide or wider: 0 for integers.
  explicit Histogram(int least_exponent) : least_exponent_(least_exponent) {}

  /// A finite number, so many times.
  void add(double value, std::uint64_t count = 1);

  /// Those that hold a number and all between them; a single bin without width where all numbers are equal.
  std::vector<Bin> bins() const;

 private:
  double index_of(double value) const;
  void choose_width(double one, double other);
  void widen();
  void count_in(double index, std::uint64_t count);

  int least_exponent_;
  bool empty_ = true, has_width_ = false;
  double only_ = 0;  ///< the number there is, before there is another
  std::uint64_t only_count_ = 0;
  int exponent_ = 0;                   ///< of the width
  std::int64_t first_ = 0, last_ = 0;  ///< indices of bins: the bin of value v is floor(v / width)
  std::array<std::uint64_t, kMostBins> counts_{};  ///< of the bins from first_ to last_
};

}  // namespace assay
