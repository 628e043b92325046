// rANS weights as the tensors of a problem (docs/formats.md, "rANS"; reference/rans_matrix.hpp).
#pragma once

#include <string>
#include <vector>

#include "assay/problem.hpp"
#include "properties/cases/coverage.hpp"
#include "properties/cases/declaration.hpp"
#include "reference/rans_matrix.hpp"

namespace assay::properties {

/// freq, stream_offset, n_symbols, checksums and data.
std::vector<TensorSpec> rans_specs();
/// The output status uint [tiles].
TensorSpec status_spec();

/// streams: 1 to 32.
Dimension streams_dimension();
/// data_bytes, the length of data.
Count data_bytes_count();

/// Matrices whose last tile is a column, a few, half and all but one of 64 wide and high.
std::vector<Dims> ragged_rans_tiles();

/// The layout that dimensions stand for: tile_rows x tile_cols, or a row a tile where they have none. Throws
/// std::invalid_argument where M x N is more than 2^62.
reference::RansLayout layout_of(const Dims& dims);

/// Tiles in which a planned case shows something of each: one stays ordinary where there are several.
std::int64_t all_tiles_but_one(const Dims& dims);

/// The tensors of a problem, whatever they hold. The problem must outlive it.
reference::RansView rans_view(const Problem& problem);

/// Encodes symbols [M, N] into the tensors of a problem, under the frequencies [tiles, 16] that suit them
/// best or under those given.
void put_symbols(const std::vector<std::uint8_t>& symbols, Problem& problem);
void put_symbols(const std::vector<std::uint8_t>& symbols, const std::vector<std::uint16_t>& freq,
                 Problem& problem);

/// status: 0 for a tile that is sound, anything else for one that is not.
Expectation expect_status(const std::vector<bool>& sound);

/// Which symbols a problem has, and whether tiles are sound, of one symbol, or leave streams empty.
void cover_rans(const Problem& problem, Coverage& coverage);
/// All of these but for empty streams, which one stream a tile never leaves.
std::vector<std::string> wanted_rans_coverage();

}  // namespace assay::properties
