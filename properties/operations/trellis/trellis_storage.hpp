// Trellis indices column by column.
#pragma once

#include <string>
#include <vector>

#include "properties/cases/meaning.hpp"

namespace assay::properties {

/// indices = "columns": of each 16x16 tile of these tensors index n * 16 + k is that of row k and column n,
/// in place of k * 16 + n.
Meaning indices_meaning(const std::vector<std::string>& tensors);

}  // namespace assay::properties
