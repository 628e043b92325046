// How trellis weights are drawn, beside the activations of gemm_values.hpp.
//
// For products, under the regimes of gemm_regimes():
//   constant  every index the same, levels 1, 2, 3, ..., scales and signs of 1.
//   exact     all indices, levels that are distinct multiples of 1/2, power-of-two scales, both signs.
//   probe     all indices, levels of any fraction, scales of every exponent, subnormals included, both signs.
//   single    level 0 is 0 and level 1 is 1: zeros are index 0 or any past the grid, and C is A but for its
//             signs.
//   random    levels and scales of any fraction, both signs.
//   cancel    as random, with terms in pairs of equal weights.
//   special   as random, with large and subnormal scales, and a few so large that weights overflow.
//
// For dequantization, which is judged bit for bit:
//   constant  indices in turn, levels 1, 2, 3, ..., scales and signs of 1.
//   exact     all indices, power-of-two levels and scales, both signs.
//   random    levels and scales of any fraction, both signs.
//   tie       products that lie halfway between two halves, or next to it, overflow among them: each
//   rounding. any       levels and scales of any finite bits.
#pragma once

#include <vector>

#include "properties/cases/case.hpp"
#include "properties/cases/declaration.hpp"
#include "properties/operations/trellis/trellis_weights.hpp"

namespace assay::properties {

/// Weights of a product. Those of another `stream` are others.
void fill_trellis(const Case& test_case, const TrellisSizes& sizes, const std::string& stream,
                  const TrellisTensors& filled);

/// Planned: "signs", in which `su` and `sv` are any floats. Its sizes are to be filled in.
PlannedRegime signs_regime();
/// Special values of levels, scales, su and sv that meet in one weight, each two of eight.
PlannedRegime factors_regime();

/// The regimes of dequantization above.
std::vector<Regime> dequantize_trellis_regimes();

/// Weights to be dequantized.
void fill_dequantize_trellis(const Case& test_case, const TrellisSizes& sizes, const TrellisTensors& filled);

}  // namespace assay::properties
