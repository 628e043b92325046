// How packed codes and scales are drawn where they are only dequantized, which is judged bit for bit.
//
//   constant  scales of 1, codes in turn: the table of codes and where each nibble goes.
//   exact     power-of-two scales, all codes.
//   random    ordinary scales of both signs: rounding.
//   sweep     the scale of group g, column n is the half with bits first + 0x9E37 (g N + n), codes in turn:
//             every scale under every code over the cases (8 phase shifts the codes, for groups of 8).
//   any       scales of any bits: NaN, infinities, subnormals, both zeros.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "properties/cases/case.hpp"
#include "properties/cases/declaration.hpp"
#include "properties/operations/packed4/weight_format.hpp"

namespace assay::properties {

/// "sweep" has knobs `first`, `phase` and, where the format has zero points, `zero`.
std::vector<Regime> dequantize_regimes(const WeightFormat& format);

/// Codes [K, N], 0..15.
std::vector<std::uint8_t> draw_dequantize_codes(const Case& test_case, const WeightFormat& format);

/// Scales [groups, N]; zero points are those of zero_points.hpp.
void fill_dequantize_scales(const Case& test_case, std::span<std::uint16_t> scales);

}  // namespace assay::properties
