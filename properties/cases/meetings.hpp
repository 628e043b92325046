// Special values of two inputs that meet at one place: zero times infinity, -0 beside NaN, the largest twice.
//
// Where both inputs have a line of their own, each element of the output is of one pair: lines of the one
// hold the eight values in turn, lines of the other likewise. Else the values lie along the dimension that
// the two share. Everything around them is what the operation fills in under the regime "planted".
#pragma once

#include "properties/cases/case.hpp"
#include "properties/cases/declaration.hpp"

namespace assay::properties {

inline constexpr const char* kMeetings = "meetings";

/// Declares the regime "meetings" of each two inputs that have planted values (planted.hpp), which are to be
/// declared before, and a size in common. None where there are no two.
void declare_meetings(OperationDeclaration& declared);

/// Writes the values of a case of "meetings"; of others, nothing.
void meet(const OperationDeclaration& declaration, const Case& test_case, Problem& filled);

}  // namespace assay::properties
