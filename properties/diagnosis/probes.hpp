// What a kernel whose results are wrong is asked, to tell causes apart.
#pragma once

#include <vector>

#include "properties/cases/operation.hpp"

namespace assay::properties {

/// The cases that a rejected kernel is asked: every regime at a few sizes (two whole tiles each way, ragged
/// ones, one tile, four K tiles) with groups below, at and above the K tile. Those whose elements show one
/// weight each (Operation::weights_seen) tell most; they are asked from two places on. Regimes that ask for
/// an optional output are left out.
std::vector<Case> probes(const Operation& operation, const KernelTraits& traits);

/// Every kind of every knob that has kinds (Knob::names), at the same sizes and a few seeds: what is asked
/// where the kernel is right in all of the above.
std::vector<Case> probes_of_kinds(const Operation& operation, const KernelTraits& traits);

}  // namespace assay::properties
