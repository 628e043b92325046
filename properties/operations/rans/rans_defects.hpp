// Defects of encoded rANS tensors, one after the other, each in a tile of its own: the planned regime
// "defects". Streams with a byte too many or too few, up to nine of them; each bit of a start state; numbers
// of symbols, frequencies and offsets that are wrong in ways that a decoder may let through.
#pragma once

#include "assay/problem.hpp"
#include "properties/cases/case.hpp"
#include "properties/cases/declaration.hpp"

namespace assay::properties {

inline constexpr const char* kDefects = "defects";
PlannedRegime rans_defects_regime();

/// Spoils tiles of the encoded tensors, as many as the case shows; the last one stays sound where there are
/// several. Whether what is left is sound is for the reference to say.
void spoil_tiles(const Case& test_case, Problem& filled);

}  // namespace assay::properties
