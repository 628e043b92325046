// The indices of trellis weights as they are drawn.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "properties/cases/case.hpp"
#include "properties/operations/trellis/trellis_weights.hpp"

namespace assay::properties {

/// Those of weights that are summed, by the regime of the case, packed; `stream` names what they are drawn
/// from.
void draw_trellis_indices(const Case& test_case, const TrellisSizes& sizes, const std::string& stream,
                          std::span<std::uint8_t> packed);

/// Those of weights that are dequantized and no more: all alike often, or in turn where values are constant.
void draw_dequantized_indices(const Case& test_case, const TrellisSizes& sizes,
                              std::span<std::uint8_t> packed);

/// So many columns with the first index, so many with the next.
void fill_indices_by_column(const TrellisSizes& sizes, std::size_t columns, std::span<std::uint8_t> packed);

}  // namespace assay::properties
