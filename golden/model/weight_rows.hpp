// Rows of a matrix, all of them finite.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "golden/model/model_file.hpp"

namespace assay::golden {

/// Rows [begin, end) of a matrix in memory of its own. Throws Refused where a weight is NaN or infinite: it
/// names the first one's row and column.
class WeightRows {
 public:
  WeightRows(const ModelFile& file, const MatrixInfo& matrix, std::size_t begin, std::size_t end);

  std::size_t begin() const { return begin_; }
  std::size_t end() const { return begin_ + values_.size() / columns_; }
  /// `row` counts from the first row of the matrix.
  std::span<const float> row(std::size_t row) const {
    return std::span(values_).subspan((row - begin_) * columns_, columns_);
  }

 private:
  std::size_t begin_, columns_;
  std::vector<float> values_;
};

}  // namespace assay::golden
