// How much of a large case is run: a sample of its threadgroups, more of them where more was asked for, or
// all.
#pragma once

#include <cstddef>

#include "properties/cases/operation.hpp"
#include "properties/large/share.hpp"

namespace assay::properties {

/// What each threadgroup works through: the product of the dimensions that the grid does not cut.
std::int64_t work_of_threadgroup(const Operation& operation, const Dims& dims, const Share& share);

/// That, for each of the elements that the first threadgroup stores: about the products that it sums up.
double products_of_threadgroup(const Operation& operation, const Dims& dims, const Share& share);

/// How many threadgroups a sample has at most: 2 to 64, more where each has less to work through; times the
/// case's budget.
std::size_t sample_size(const Operation& operation, const Case& test_case, const Share& share);

/// Whether a large case is made, run and judged as a whole all the same, so that each of its values is drawn:
/// its budget multiplies the product of sizes up to which cases are run whole. Not where its tensors are so
/// large that what is right for them would fill the memory of a machine (256 MiB).
bool runs_whole(const OperationDeclaration& declaration, const Case& test_case);

}  // namespace assay::properties
