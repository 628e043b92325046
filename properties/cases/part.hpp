// Parts of problems and of tensors, by ranges of indices.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace assay::properties {

/// Indices along one dimension, from `begin` up to `end`.
struct Range {
  std::size_t begin = 0, end = 0;
  auto operator<=>(const Range&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// Part of a problem: of each dimension that is named the indices of a range, of all others everything.
using Part = std::map<std::string, Range>;

/// Indices along one dimension, ascending.
struct Chosen {
  std::string dimension;
  std::vector<std::size_t> indices;
};

/// The first and the last element that was taken of a tensor, counted as it lies in memory.
struct Taken {
  std::size_t first = 0, last = 0;
};

}  // namespace assay::properties
