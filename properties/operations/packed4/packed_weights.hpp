// What all 4-bit weights have in common: B uint32 [ceil(K/8), N], and halves [ceil(K/group_size), N] beside
// it (docs/formats.md, "Packing" and "Groups").
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "properties/cases/coverage.hpp"
#include "properties/cases/declaration.hpp"
#include "properties/diagnosis/coordinate.hpp"
#include "properties/diagnosis/counterfactual.hpp"
#include "properties/operations/packed4/code_coverage.hpp"
#include "properties/operations/packed4/weight_format.hpp"
#include "properties/operations/products/weight_choices.hpp"

namespace assay::properties {

/// "B", "scales" and, where the format has them, "zeros": one half per group and column.
std::vector<TensorSpec> weight_specs(const WeightFormat& format);
/// What kernels may mean by them that is other: by weights that are not finite, by the layout of scales and
/// zero points.
std::vector<Meaning> weight_meanings(const WeightFormat& format);
/// What cases of them may begin with: words of codes 0 and of weights 0, scales of 1, zero points that take
/// nothing away.
std::vector<PlainStart> packed_plain_starts(const WeightFormat& format);
/// Packs codes [K, N] into the input "B" of a problem.
void pack_codes(std::span<const std::uint8_t> codes, Problem& problem);

/// Weights seen in an output whose row r shows those of k_of_row[r]: with code and nibble.
WeightsSeen packed_weights_seen(const Problem& problem, std::vector<std::size_t> k_of_row);

/// What else the weights of a problem may be where subnormals may be flushed: those under scales, zero points
/// or both that are. Nothing in other arithmetic.
std::vector<WeightChoice> packed_choices(const Problem& problem, const WeightFormat& format,
                                         std::span<const std::uint16_t> weights,
                                         const Arithmetic& arithmetic);

/// Faults known of packed weights: nibbles in another order, signs of codes lost, and scales or zero points
/// of another group or of the one in which the K tile starts.
std::vector<Counterfactual> packed_counterfactuals(const Problem& problem, const Tile& tile);

/// Which codes at which nibbles the input "B" has.
void cover_packed_weights(const Problem& problem, Coverage& coverage);

}  // namespace assay::properties
