// What kernels may mean by weights: words that all operations on weights have in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "properties/cases/meaning.hpp"
#include "properties/cases/traits.hpp"

namespace assay::properties {

/// nonfinite_weights = "zero": a weight that is NaN or infinite, after its roundings, counts as 0. `inputs`
/// are those that can make it so.
Meaning nonfinite_weights_meaning(std::vector<std::string> inputs);

/// The weights that the arithmetic means.
std::vector<std::uint16_t> meant_weights(std::vector<std::uint16_t> weights, const Arithmetic& arithmetic);

/// scales = "N x groups": these tensors [..., groups, N] are kept as [..., N, groups]; for zero points the
/// field is "zeros".
Meaning groups_meaning(std::string field, const std::vector<std::string>& tensors);

}  // namespace assay::properties
