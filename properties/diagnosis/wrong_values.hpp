// How what wrong elements hold follows from what they should hold.
#pragma once

#include <string>
#include <vector>

#include "harness/verify/compare.hpp"
#include "properties/diagnosis/rule.hpp"

namespace assay::properties {

/// "They hold 0.5 times the expected value.", "They were never written."; where that differs from one value
/// of a coordinate to another, "Those in K tile 0 hold 0, and those in K tiles 1-3 hold NaN."; "They hold 1,
/// whatever is expected.". "" where no simple relation holds in nearly all. `comparisons` are those whose
/// elements, one after the other, the table has.
std::string wrong_values_in_words(const std::vector<const Comparison*>& comparisons,
                                  const ElementTable& table);

}  // namespace assay::properties
