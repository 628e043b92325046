// The size of groups along K that share a scale, as a dimension of an operation (docs/formats.md, "Groups").
#pragma once

#include "properties/cases/declaration.hpp"

namespace assay::properties {

/// Planned sizes of products: groups of 512 and of 1,024, a group as long as K, and a row by multiples of
/// 256.
std::vector<Dims> long_groups();

/// Planned sizes of products: a sum over more than 2^16, and more than 2^8 groups of sizes that models have.
std::vector<Dims> long_sums();

/// group_size: a positive multiple of 8; drawn from 8 to 128.
Dimension group_size_dimension();

}  // namespace assay::properties
