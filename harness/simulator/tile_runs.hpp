// A tile of elements in memory, as runs of elements that follow one another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace assay::simulator {

/// Calls visit(address, bytes) for each run. The dimension in which the elements are closer lies within a
/// run.
template <class Visit>
void for_each_run(std::uintptr_t first, std::ptrdiff_t row_stride_bytes, std::ptrdiff_t column_stride_bytes,
                  std::uint32_t rows, std::uint32_t columns, std::size_t element_bytes, Visit&& visit) {
  if (std::abs(row_stride_bytes) < std::abs(column_stride_bytes)) {
    std::swap(row_stride_bytes, column_stride_bytes);
    std::swap(rows, columns);
  }
  const bool packed = column_stride_bytes == static_cast<std::ptrdiff_t>(element_bytes);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::uintptr_t begin = first + static_cast<std::uintptr_t>(row * row_stride_bytes);
    if (packed) {
      visit(begin, columns * element_bytes);
      continue;
    }
    for (std::uint32_t column = 0; column < columns; ++column)
      visit(begin + static_cast<std::uintptr_t>(column * column_stride_bytes), element_bytes);
  }
}

}  // namespace assay::simulator
