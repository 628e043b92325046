// Special values of two inputs that meet: each everywhere, so that they meet wherever an operation leads
// them. A kernel that leaves out what it multiplies by 0 is wrong where the other is infinite.
#pragma once

#include "assay/problem.hpp"
#include "harness/verify/stated_operation.hpp"
#include "properties/cases/case.hpp"
#include "properties/cases/declaration.hpp"

namespace assay::properties {

/// Its knob `pair` counts each two inputs with each two of their values.
inline constexpr const char* kPairs = "pairs";

/// Declares the regime; nothing where no two inputs have special values.
void declare_pairs(const StatedOperation& stated, OperationDeclaration& declared);

/// Fills the two inputs of a case with that regime; others, and other cases, stay as they are.
void put_pair(const StatedOperation& stated, const Case& test_case, Problem& filled);

}  // namespace assay::properties
