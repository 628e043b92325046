// Whether it takes an infinity or a NaN to show what is wrong with a kernel.
#pragma once

#include <string>

#include "properties/cases/trial.hpp"

namespace assay::properties {

/// Runs the failing case again with 1 (of the same sign) in place of what is not finite, in all inputs and in
/// each by itself, and says which of these are right. "" where all inputs are finite, or nothing can be
/// judged.
std::string finite_neighbours_in_words(const Trial& trial, const Problem& problem);

}  // namespace assay::properties
