// Errors of weights, summed in an order that no number of threads changes: along a row, then over the rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "golden/model/quantize.hpp"

namespace assay::golden {

/// Sums over some weights of one row.
struct RowError {
  double squared = 0;          ///< of decoded - weight
  double squared_weights = 0;  ///< of weights
  double maximum = 0;

  void add(double decoded, double weight) {
    const double error = decoded - weight;
    squared += error * error;
    squared_weights += weight * weight;
    maximum = std::max(maximum, std::fabs(error));
  }
};

/// Of a whole matrix of `weights` elements.
WeightError error_of_rows(std::span<const RowError> rows, std::size_t weights);

/// log2 of a positive normal number, to 15 digits, by the four operations alone: the C library's may differ
/// in its last bit between machines, and what is reported lies in files.
double plain_log2(double value);

/// Bits of information in symbols that occur so often: the sum of count * log2(total / count).
double information_bits(std::span<const std::uint64_t> counts);

}  // namespace assay::golden
