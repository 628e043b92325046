// How encoded rANS tensors are damaged: the regime "damaged" of operations with rANS weights.
#pragma once

#include "assay/problem.hpp"
#include "properties/cases/case.hpp"
#include "properties/cases/declaration.hpp"

namespace assay::properties {

/// Its knob `defect` says how: data cut off, an offset out of range, two offsets exchanged, a frequency more,
/// a unit of frequency moved, a bit of data flipped, another symbol count, another checksum, a
/// stream whose start state is below 2^23 and which is right in everything else.
Regime damaged_rans();

/// Planned: "checksums", each bit of a checksum flipped once, in a tile of its own.
PlannedRegime rans_checksums_regime();

/// The planned regime "cut", in which the last stream ends early, and its symbols are all rare, so that every
/// other one of them takes two bytes: some cuts fall between the two, in the first and in the last of such
/// renormalisations.
inline constexpr const char* kCutStream = "cut";
PlannedRegime rans_cut_regime();

/// In regime "checksums", flips those bits. In regime "cut", ends the last stream early. In regime "defects",
/// spoils tiles as rans_defects.hpp has it. In regime "damaged", spoils the encoded tensors of the problem in
/// one place, in the way knob `defect` says. In others, nothing.
void damage_rans(const Case& test_case, Problem& filled);

}  // namespace assay::properties
