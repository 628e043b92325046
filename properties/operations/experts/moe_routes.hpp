// Which experts each token goes to, and with which probabilities.
#pragma once

#include "assay/problem.hpp"
#include "properties/cases/case.hpp"

namespace assay::properties {

/// Writes expert_ids and expert_probs.
void fill_routes(const Case& test_case, Problem& filled);

}  // namespace assay::properties
