// How what wrong elements hold follows from what they should hold.
#pragma once

#include <string>
#include <vector>

#include "harness/verify/compare.hpp"
#include "properties/diagnosis/rule.hpp"

namespace assay::properties {

/// "they hold 0.5 x what is expected", "they were never written"; where that differs from one value of a
/// coordinate to another, "K tile 0: 2 x what is expected; K tiles 1-3: 0". "" where no simple relation holds
/// in nearly all. `comparisons` are those whose elements, one after the other, the table has.
std::string wrong_values_in_words(const std::vector<const Comparison*>& comparisons,
                                  const ElementTable& table);

}  // namespace assay::properties
