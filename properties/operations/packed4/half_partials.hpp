// Partial sums of a striped product in half in place of float.
#pragma once

#include "properties/cases/meaning.hpp"
#include "properties/cases/traits.hpp"

namespace assay::properties {

/// partials = "half": `partials` is half [parallel, M, N]. The sum of a slice is rounded to half where it
/// stands there; what adds slices up is the accumulator still.
Meaning half_partials_meaning();

bool has_half_partials(const Arithmetic& arithmetic);

}  // namespace assay::properties
