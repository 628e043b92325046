// How the operands of a product of A with quantized weights are drawn, whatever the weights' format.
//
// What each regime of gemm_regimes() reaches:
//   constant  A = 1, every weight the same: how many k are summed. C is exact.
//   exact     integers times powers of two, all codes, all nibbles, all groups: any order of summation
//             gives the same sum, so C is its rounding, bit for bit.
//   probe     rows of A are unit vectors, so C is W: every code at every nibble and group under scales of
//             every exponent, subnormals included. Row m holds k = (first + m) % K: every k over the cases.
//   single    one weight of 1 in each column, so C is A: every half A can hold, in every place. Column n
//             holds k = (first + n) % K.
//   random    ordinary values with rounding in every step.
//   cancel    large terms that cancel, leaving sums far below sum|a w|: lost precision, dropped or doubled
//             terms. Terms cancel 2^distance elements apart.
//   special   random, with NaN, infinities, subnormals, -0 and scales so large that weights overflow, in few
//             places: they must stay in their row or column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "properties/cases/case.hpp"
#include "properties/cases/declaration.hpp"
#include "properties/cases/draw.hpp"
#include "properties/operations/packed4/weight_format.hpp"

namespace assay::properties {

/// The regimes above; "exact" has knob `range`, "probe" and "single" `first`, "constant" `code`, "cancel"
/// `distance`, "special" `count`.
std::vector<Regime> gemm_regimes();

/// Names of the planned regimes below (gemm_plans.cpp).
inline constexpr const char *kNothing = "nothing", *kLeftBehind = "left_behind", *kRises = "rises",
                            *kBlank = "blank", *kBrink = "brink";

/// Planned: "nothing", in which weights that are 0 have infinite scales, so that their sum is NaN, and others
/// of one sign too, so that theirs is infinite. Its sizes are to be filled in.
PlannedRegime nothing_regime();

/// Planned: "blank", in which A is 0 along some of K, in all rows, beside infinite weights: NaN is right.
PlannedRegime blank_regime();

/// Planned: "brink", in which sums come to what lies between the largest half and infinity, or halfway
/// between two subnormal halves. Weights are 1, or 1/2.
PlannedRegime brink_regime();

/// Planned: "left_behind", in which infinity lies before the last of K, where memory that a threadgroup has
/// from tiles before the last, partial one holds it still: beside a 0 it is NaN, and right is infinity.
PlannedRegime left_behind_regime();

/// Planned: "rises", in which sums of whole numbers rise along half of K and fall along the other half, so
/// that what they come to on the way is far more than their end: it shows where that is kept in a half. At
/// sizes of its own.
PlannedRegime rises_regime();

/// Under "left_behind": how far before the last element of a line infinity lies, which lines have in turn.
/// Tiles of 8 to 64, single and two of them in turn, hold one of these places and have a last part of a few.
std::size_t infinity_before_last(std::size_t line);
/// And which group of a column has an infinite scale; nothing where none has.
std::optional<std::size_t> infinite_group(const Case& test_case, std::size_t column, std::size_t groups);
/// Under "rises": element k of K, positive in the first half and negative in the second.
double rising(const Case& test_case, std::size_t k, std::size_t K, const Words& words);

/// Under "cancel": how many elements of K a term is from the one that cancels it.
std::size_t cancelling_step(const Case& test_case);

/// A [M, K].
void fill_activations(const Case& test_case, std::span<std::uint16_t> A);

/// Codes [K, N], 0..15.
std::vector<std::uint8_t> draw_codes(const Case& test_case, const WeightFormat& format);

/// Scales [groups, N]; zero points are those of zero_points.hpp.
void fill_scales(const Case& test_case, const WeightFormat& format, std::span<std::uint16_t> scales);

}  // namespace assay::properties
