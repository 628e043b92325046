// Inputs whose first elements are one plain value, as 1 or 0, and the others are not: where a kernel looks at
// the first few to tell whether it may take a shorter way.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "properties/cases/case.hpp"
#include "properties/cases/declaration.hpp"

namespace assay::properties {

inline constexpr const char* kPlainStart = "plain_start";

/// Declares the regime "plain_start" for an operation that has the regime "random", whose values all other
/// elements have. Starts that follow one another and are of different tensors stand in one case.
void declare_plain_starts(const std::vector<PlainStart>& starts, OperationDeclaration& declared,
                          std::function<std::vector<Dims>(const Tile&)> sizes);

/// The starts of trellis weights whose tensors have this prefix: factors of 1, scales of 1.
std::vector<PlainStart> trellis_plain_starts(const std::string& prefix = {});

/// Dimensions of products at which every input has more elements than its start.
std::vector<Dims> past_plain_starts(const Tile& tile);

/// The case whose values surround plain ones, or those that meet (meetings.hpp); any other case as it is.
Case surrounding(const Case& test_case);

/// Writes the plain values of a case of "plain_start"; of others, nothing.
void start_plainly(const OperationDeclaration& declaration, const Case& test_case, Problem& filled);

}  // namespace assay::properties
