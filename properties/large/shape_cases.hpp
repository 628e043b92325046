// Cases of a shape that somebody names: on the command line, or in a manifest entry.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/verify/manifest.hpp"
#include "properties/cases/operation.hpp"

namespace assay::properties {

/// Whether a case can be run: whole, or as a sample, since the kernel's grid says which part of it each
/// threadgroup stores.
bool can_run(const KernelEntry& entry, const Operation& operation, const Case& test_case);

/// The shape with values of the regimes `exact` and `random`, where the operation has both, and with that
/// budget; under several schedules where threadgroups may meet. Dimensions that are not given are the
/// smallest. Throws std::invalid_argument that says why there is none: a dimension that the operation lacks
/// or the kernel does not take, tensors that are too large, a large shape of which no part can be run.
std::vector<Case> shape_cases(const KernelEntry& entry, const Operation& operation, const CaseSpace& space,
                              const Dims& dims, std::uint64_t budget = 1);

/// Throws ManifestError at the first of the entry's `shapes` that has no cases.
void check_shapes(const KernelEntry& entry, const Operation& operation);

/// "shape M=1 N=4096": one that the manifest names, as coverage has it.
std::string shape_tag(const Dims& shape);
/// The tags of those of the entry's shapes that these dimensions are of.
std::vector<std::string> shape_tags(const KernelEntry& entry, const Dims& dims);

}  // namespace assay::properties
