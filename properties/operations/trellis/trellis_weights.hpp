// What all trellis weights have in common (docs/formats.md, "Trellis"): their tensors, dimensions and
// coverage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/problem.hpp"
#include "properties/cases/coverage.hpp"
#include "properties/cases/declaration.hpp"
#include "properties/diagnosis/coordinate.hpp"
#include "properties/operations/products/weight_choices.hpp"
#include "reference/trellis.hpp"

namespace assay::properties {

/// W [K, N] and how it is stored.
struct TrellisSizes {
  std::size_t K = 0, N = 0, group_size = 0, n_levels = 0;
  unsigned bits = 0;

  std::size_t packed_bytes() const;
  std::size_t scale_count() const;
};

/// A weight matrix of an operation, or a stack of them.
struct TrellisMatrix {
  std::string prefix;  ///< of the names of its tensors
  std::string rows = "K", columns = "N";
  std::string stack;  ///< dimension that counts matrices; "": there is one, and its tensors say nothing of it

  TrellisSizes sizes(const Dims& dims) const;
};

/// What kernels may mean by such matrices that is other: by weights that are not finite, by the layout of
/// scales and of indices.
std::vector<Meaning> trellis_meanings(const std::vector<TrellisMatrix>& matrices);

/// The tensors of one matrix, to be written.
struct TrellisTensors {
  std::span<std::uint8_t> packed_indices;
  std::span<float> scales, grid, su, sv;
};

/// "packed_indices", "scales", "grid", "su" and "sv", after its prefix.
std::vector<TensorSpec> trellis_specs(const TrellisMatrix& matrix = {});

/// group_size; bits, which is 2, 3 or 4; n_levels, at most 2^bits: fewer leave indices past the grid.
/// One level is legal, and no two indices differ: it is not drawn.
std::vector<Dimension> trellis_dimensions();

/// Those of trellis_specs() in a problem, of matrix number `index` of a stack.
TrellisTensors trellis_tensors(Problem& problem, const TrellisMatrix& matrix = {}, std::size_t index = 0);
reference::TrellisWeights trellis_weights(const Problem& problem, const TrellisMatrix& matrix = {},
                                          std::size_t index = 0);

/// Operation::warnings() of these matrices, all of each stack.
std::vector<std::string> trellis_warnings(const Problem& problem, const std::vector<TrellisMatrix>& matrices);
/// Operation::mistaken_shape(): counts of tiles that are exchanged.
std::string mistaken_trellis_shape(const Tensor& stored, const Dims& dims,
                                   const std::vector<TrellisMatrix>& matrices);

/// What else these weights of a problem may be where subnormals may be flushed; nothing in other arithmetic.
std::vector<WeightChoice> trellis_choices(const Problem& problem, std::span<const std::uint16_t> weights,
                                          const Arithmetic& arithmetic);

/// Weights seen in an output whose row r shows those of k_of_row[r]: with index, place in the 16 x 16 tile
/// and whether the index crosses bytes.
WeightsSeen trellis_weights_seen(const reference::TrellisWeights& weights, std::vector<std::size_t> k_of_row);

/// Which indices stand at which bits of a byte, "bits = 3: index 5 at bit 6", and where one is past the grid.
void cover_trellis(const reference::TrellisWeights& weights, Coverage& coverage);
/// All tags that cover_trellis can give.
std::vector<std::string> all_trellis_tags();

}  // namespace assay::properties
