// The lines of `assay golden show` on a problem as a whole.
#pragma once

#include <string>

#include "golden/own_tensors.hpp"
#include "properties/cases/operation.hpp"

namespace assay::golden {

/// The dimensions; how often each code, index or symbol occurs, and what else the coverage of the operation
/// counts; what is out of the ordinary (Operation::warnings).
std::string show_weights(const properties::Operation& operation, const OwnTensors& own);

}  // namespace assay::golden
