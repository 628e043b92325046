// What is the same for every element of a case: sizes beside the tile, choices, the values drawn. They tell
// wrong cases from right ones.
#pragma once

#include <vector>

#include "properties/cases/case.hpp"
#include "properties/cases/declaration.hpp"
#include "properties/diagnosis/coordinate.hpp"

namespace assay::properties {

/// Appends them, for an output of that many elements.
void add_coordinates_of_case(const OperationDeclaration& declaration, const Tile& tiles, const Case& asked,
                             std::size_t elements, std::vector<Coordinate>& coordinates);

}  // namespace assay::properties
