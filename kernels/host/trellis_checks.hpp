// What the host says of trellis weights before a kernel sees them (document 002, sections 5.1 and 5.2:
// docs/documents.md), beyond what reference::check_trellis refuses.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reference/trellis.hpp"

namespace assay::host {

/// packed_indices as a file has it: [tiles_k, tiles_n, tile_bytes].
struct TrellisShape {
  std::size_t tiles_k = 0, tiles_n = 0, tile_bytes = 0;
};

/// Throws std::invalid_argument, one line, unless this is the shape that K, N and bits ask for. The number of
/// bytes alone does not show counts of tiles that are exchanged.
void check_stored_shape(const reference::TrellisWeights& weights, const TrellisShape& stored);

/// What may be meant and seldom is, a line each that names the field; empty where all is as usual. No kernel
/// goes wrong by it, but weights that are spoilt often look so:
/// - a grid that is not normalised: its largest magnitude is not 1;
/// - scales out of the ordinary: one that makes a weight infinite as a half, one that is not 0 and leaves
///   nothing of any weight, one above 1,024 times the median magnitude.
/// The weights must be such as reference::check_trellis takes.
std::vector<std::string> trellis_warnings(const reference::TrellisWeights& weights);

}  // namespace assay::host
