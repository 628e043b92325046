// The lines of `assay golden show` on numbers: what a tensor holds, and bars.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "assay/tensor.hpp"
#include "harness/verify/tensor_statistics.hpp"

namespace assay::golden {

/// "1.5": enough digits to tell two elements of that type apart.
std::string element_text(DType dtype, double value);

/// Lines `range`, `special`, `distinct`, `first` and `histogram`, indented. `first` are the first elements.
std::string statistics_text(DType dtype, const TensorStatistics& statistics,
                            const std::vector<double>& first);

/// A line for each: its label, its count and a bar; the longest bar is that of the largest count.
std::string bars(const std::vector<std::pair<std::string, std::uint64_t>>& counts);

}  // namespace assay::golden
