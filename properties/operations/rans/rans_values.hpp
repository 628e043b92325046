// How rANS weights and the operands beside them are drawn.
//
// The spread of a tile's symbols is drawn for each tile: all 16 alike, each half as likely as the one before,
// one alone, one after the other, one and a rare other, a few. So are its frequencies: mostly those that suit
// its symbols best. What each regime reaches:
//   constant  one symbol everywhere, x = 1: how many columns are summed. Exact.
//   exact     integers times powers of two: any order of summation gives the same sum, bit for bit.
//   probe     rows of x are unit vectors, so y is a column of W: row b holds n = (first + b) % N.
//   random    ordinary values with rounding in every step.
//   special   exact, with NaN, infinities, subnormals and -0 in a few places of x: they must stay in their
//             row.
//   damaged   exact, with one thing wrong (rans_damage.hpp): what depends on it must say so, the rest must be
//             right.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "properties/cases/case.hpp"
#include "properties/cases/declaration.hpp"

namespace assay::properties {

/// Those of products; "constant" has knob `code`, "exact" `range`, "probe" `first`, "special" `count`,
/// "damaged" `defect`.
std::vector<Regime> rans_product_regimes();
/// constant, random, damaged: those of decoding, which has no other operands.
std::vector<Regime> rans_decode_regimes();

/// Planned: "rare" and "tables", of streams and frequencies that lie near to others.
std::vector<PlannedRegime> rans_stream_regimes();

/// Symbols [M, N], each below 16.
std::vector<std::uint8_t> draw_rans_symbols(const Case& test_case);

/// Frequencies [tiles, 16] to encode those symbols under. In a quarter of the tiles (of none in regime
/// "constant") one symbol has all but the 1 that each other needs, whatever suits them best: steps that take
/// two bytes are common there, and states of exactly 2^23 before the end of a stream (docs/rans.md).
std::vector<std::uint16_t> draw_rans_frequencies(const Case& test_case,
                                                 std::span<const std::uint8_t> symbols);

/// x [batch, N].
void fill_rans_input(const Case& test_case, std::size_t batch, std::span<float> x);

/// Planned: "left_behind" and "rises" of gemm_values.hpp, of x.
PlannedRegime rans_left_behind_regime();
PlannedRegime rans_rises_regime();

/// Planned: "scales", scales and zero points that are far from the ordinary.
PlannedRegime rans_scales_regime();

struct RansScale {
  float scale, zero_point;
};
RansScale draw_rans_scale(const Case& test_case);

}  // namespace assay::properties
