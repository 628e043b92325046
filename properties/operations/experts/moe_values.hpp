// How a layer of experts is drawn.
//
//   probe    rows of x are unit vectors and gate weights at least 32 in magnitude, where silu is the identity
//            or 0 but for what the rounding of the hidden value takes away: routes, projections and stacks of
//            weights, with hardly any tolerance.
//   random   ordinary values.
//   steep    gates of some hundreds of both signs: exp that overflows and underflows.
//   special  random, with NaN in some tokens: they must stay in their rows.
//
// Knob `routing`: 0 any experts; 1 all tokens to one; 2 each token to one, in every slot; 3 none to expert 0;
// 4 one token alone to expert 0, in one slot.
#pragma once

#include <array>
#include <vector>

#include "assay/problem.hpp"
#include "properties/cases/case.hpp"
#include "properties/cases/declaration.hpp"
#include "properties/diagnosis/counterfactual.hpp"
#include "properties/operations/trellis/trellis_weights.hpp"

namespace assay::properties {

/// The stacks of weights: gate and up are [K, intermediate], down is [intermediate, N], one for each of
/// num_experts.
const TrellisMatrix& moe_gate();
const TrellisMatrix& moe_up();
const TrellisMatrix& moe_down();
std::array<TrellisMatrix, 3> moe_matrices();

/// The regimes above.
std::vector<Regime> moe_regimes();

/// Faults known of routes: probabilities looked up by the expert's number; an expert that a token goes to in
/// several slots counted once; the slots of a token taken for those of the next.
std::vector<Counterfactual> moe_counterfactuals(const Problem& problem);

/// Writes x, the routes and the weights.
/// Planned: NaN and infinities in experts that no token goes to, NaN in tokens and in others; and "routes",
/// whose kinds are probabilities, ids and gates that are far from the ordinary.
void declare_planned_moe(OperationDeclaration& declared);

void fill_moe(const Case& test_case, Problem& filled);

}  // namespace assay::properties
