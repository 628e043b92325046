// Cases in which two sizes of a tensor are long together: what a kernel makes of their product in 16 bits, as
// `ushort(e * N)` does, goes wrong there, and where either is long by itself it does not.
#pragma once

#include "properties/cases/coverage.hpp"
#include "properties/large/width_plan.hpp"

namespace assay::properties {

/// Of operations that ask for it (OperationDeclaration::products), the same whatever the seed: each two sizes
/// whose product goes past 2^18, or 2^17, 2^16, 2^15, as far as the kernel takes them and the case takes
/// moments, or some more for 2^16: both some hundreds long and others as small as can be. Where the kernel
/// bounds one of them, the other is longer.
WidthPlan plan_products(const KernelEntry& entry, const Operation& operation);

/// Adds "E x N past 2^15" and "E x N past 2^16" for each two sizes of such an operation that are more than 1.
void cover_products(const OperationDeclaration& declaration, const Dims& dims, Coverage& coverage);

}  // namespace assay::properties
