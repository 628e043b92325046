// What numbers a tensor holds, gathered in one pass over its bytes, in memory that does not grow with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "assay/tensor.hpp"
#include "harness/verify/histogram.hpp"

namespace assay {

struct TensorStatistics {
  /// Of more different numbers than these it is only known that they are more.
  static constexpr std::size_t kMostDistinct = std::size_t{1} << 16;
  /// So many different numbers are few: each is listed.
  static constexpr std::size_t kFewDistinct = 16;

  std::uint64_t elements = 0;
  std::uint64_t nan = 0, infinity = 0, minus_infinity = 0;
  std::uint64_t zero = 0, minus_zero = 0;  ///< +0 and -0
  std::uint64_t subnormal = 0;
  std::uint64_t finite = 0;
  double least = 0, largest = 0;  ///< of the finite ones, where there are any

  /// How many different numbers, infinities among them: zeros of either sign are one, NaN none.
  std::size_t distinct = 0;
  bool more_distinct = false;  ///< than `distinct`, which is kMostDistinct then
  /// Where they are few: each with its count, ascending. Else empty.
  std::vector<Bin> values;
  std::vector<Bin> bins;  ///< of the finite ones
};

class StatisticsGatherer {
 public:
  explicit StatisticsGatherer(DType dtype);

  /// Further elements, whole ones, as they lie in memory.
  void add(std::span<const std::byte> elements);

  TensorStatistics statistics() const;

 private:
  /// Of elements of any type, one by one.
  struct Sums {
    explicit Sums(DType dtype);
    void add(double value, std::uint64_t count);

    double least_normal;
    TensorStatistics found = {};
    Histogram histogram;
    std::unordered_map<double, std::uint64_t> distinct = {};
  };

  DType dtype_;
  Sums sums_;
  /// Of many elements of one or two bytes: how often each pattern of bits came. The sums are without them.
  std::vector<std::uint64_t> patterns_;
};

/// Of all elements that `tensor` holds.
TensorStatistics statistics_of(const Tensor& tensor);

}  // namespace assay
