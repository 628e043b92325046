#include "golden/model/weight_error.hpp"

#include <cstdint>
#include <numeric>

namespace assay::golden {

WeightError error_of_rows(std::span<const RowError> rows, std::size_t weights) {
  RowError all;
  for (const RowError& row : rows) {
    all.squared += row.squared;
    all.squared_weights += row.squared_weights;
    all.maximum = std::max(all.maximum, row.maximum);
  }
  const auto count = static_cast<double>(weights);
  const double rms = std::sqrt(all.squared / count), of_weights = std::sqrt(all.squared_weights / count);
  return {all.maximum, rms, of_weights > 0 ? rms / of_weights : 0.0};
}

double plain_log2(double value) {
  constexpr double kLn2 = 0.693147180559945309417, kRoot = 0.70710678118654752440;
  int exponent = 0;
  double fraction = std::frexp(value, &exponent);  // exact, in [1/2, 1)
  if (fraction < kRoot) {
    fraction *= 2;
    --exponent;
  }
  // ln f = 2 artanh(t), |t| < 0.172: the term after the last one is below 2^-54.
  const double t = (fraction - 1) / (fraction + 1), square = t * t;
  double sum = 0;
  for (int odd = 21; odd > 0; odd -= 2) sum = sum * square + 1.0 / odd;
  return exponent + 2 * t * sum / kLn2;
}

double information_bits(std::span<const std::uint64_t> counts) {
  const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  double bits = 0;
  for (const std::uint64_t count : counts) {
    if (count == 0) continue;
    bits += static_cast<double>(count) * plain_log2(total / static_cast<double>(count));
  }
  return bits;
}

}  // namespace assay::golden
