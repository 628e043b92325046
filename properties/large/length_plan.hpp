// Cases in which one size by itself is long: what a kernel counts in 16 bits, keeps for 32 tiles or has a way
// of its own for at 4,096 goes wrong there.
#pragma once

#include <vector>

#include "properties/cases/coverage.hpp"
#include "properties/large/width_plan.hpp"

namespace assay::properties {

/// Of operations that ask for it (OperationDeclaration::lengths), the same whatever the seed: each size at
/// 4,096 and past 2^16, or as long as the kernel takes it, beside others as small as can be. A case is run
/// whole; where that would take seconds, since the grid cuts the size into many threadgroups, it is left to
/// `others`, the kernel's large cases (plan_widths()), if one of them has the size as long. Kernels whose
/// `requires` bound a size are not asked for more, nor are sizes whose tensors have more than 2^24 elements.
WidthPlan plan_lengths(const KernelEntry& entry, const Operation& operation, const std::vector<Case>& others);

/// Adds "N = 4,096", "N past 2^12", "N past 2^15" and "N past 2^16" for each size of such an operation.
void cover_lengths(const OperationDeclaration& declaration, const Dims& dims, Coverage& coverage);

}  // namespace assay::properties
