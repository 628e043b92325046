// Faults known of trellis weights, as problems that a kernel would have solved in place of its own.
#pragma once

#include <vector>

#include "properties/cases/traits.hpp"
#include "properties/diagnosis/counterfactual.hpp"
#include "properties/operations/trellis/trellis_weights.hpp"

namespace assay::properties {

/// Indices read from the highest bit of a byte on, or without what lies in the next byte; elements of a tile,
/// or tiles, along columns; indices past the grid taken for the last level; scales of another group. Of one
/// matrix that is no stack.
std::vector<Counterfactual> trellis_counterfactuals(const Problem& problem, const Tile& tile,
                                                    const TrellisMatrix& matrix = {});

}  // namespace assay::properties
