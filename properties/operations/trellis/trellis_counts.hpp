// How often each index of trellis weights occurs, by where it stands.
#pragma once

#include <array>
#include <cstdint>

#include "reference/trellis.hpp"

namespace assay::properties {

/// By index, and by the bit of a byte at which it begins.
using TrellisCounts = std::array<std::array<std::uint64_t, 8>, 16>;

/// Of the elements of W; what pads the last tiles is not counted.
TrellisCounts count_trellis(const reference::TrellisWeights& weights);

}  // namespace assay::properties
