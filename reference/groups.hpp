// Groups of elements along K that share one scale and zero point (docs/formats.md, "Groups").
#pragma once

#include <cstddef>

namespace assay::reference {

/// Throws std::invalid_argument unless group_size is a positive multiple of 8.
void check_group_size(std::size_t group_size);

/// Rows of a scale tensor: ceil(K / group_size).
std::size_t group_count(std::size_t K, std::size_t group_size);

/// The scale row of element k. A tile of K may span several groups, or a group several tiles.
std::size_t group_of(std::size_t k, std::size_t group_size);

}  // namespace assay::reference
