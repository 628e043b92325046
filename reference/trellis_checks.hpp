// What is said of trellis weights before a kernel sees them (document 002, sections 5.1 and 5.2:
// docs/documents.md), beyond what check_trellis() refuses: by the host layer of weights that it is given, by
// traces and `assay golden show` of tensors in a file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reference/trellis.hpp"

namespace assay::reference {

/// packed_indices as a file has it: [tiles_k, tiles_n, tile_bytes].
struct TrellisShape {
  std::size_t tiles_k = 0, tiles_n = 0, tile_bytes = 0;

  bool operator==(const TrellisShape&) const = default;
};

/// The shape that sizes and bits ask for. Throws as trellis_tile_bytes().
TrellisShape trellis_shape(std::size_t K, std::size_t N, unsigned bits);

/// Is `stored` what is asked for but for its counts of tiles, which are exchanged? The number of bytes alone
/// does not show it.
bool tiles_exchanged(const TrellisShape& stored, const TrellisShape& asked);

/// Throws std::invalid_argument, one line, unless this is the shape that K, N and bits ask for.
void check_stored_shape(const TrellisWeights& weights, const TrellisShape& stored);

/// What may be meant and seldom is, a line each that names the field; empty where all is as usual. A kernel
/// computes such weights as IEEE has it, but weights that are spoilt often look so:
/// - indices past the grid, which read level 0;
/// - levels and scales that are not finite, signs that are neither +1 nor -1: the host layer refuses these;
/// - a grid that is not normalised: its largest magnitude is not 1;
/// - scales out of the ordinary: one that makes a weight infinite as a half, one that is not 0 and leaves
///   nothing of any weight, one above 1,024 times the median magnitude.
/// Values may be any; sizes must be such as check_trellis() takes.
std::vector<std::string> trellis_warnings(const TrellisWeights& weights);

}  // namespace assay::reference
