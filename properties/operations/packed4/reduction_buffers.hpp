// What the slices of a striped product meet in (docs/operations.md, "Striped product"): `partials` float
// [parallel, M, N] and `counters` uint, one for each 64x64 tile of C. Every launch must leave them zero.
#pragma once

#include <string_view>
#include <vector>

#include "assay/problem.hpp"
#include "properties/cases/declaration.hpp"

namespace assay::properties {

/// Of a tile of C.
inline constexpr std::size_t kTileSide = 64;

/// Tiles of C, each with a counter of its own.
std::size_t reduction_tiles(const Dims& dims);

/// "partials" and "counters", given to the kernel and judged afterwards.
std::vector<TensorSpec> reduction_specs();

/// `parallel`, the number of slices of K, from 1 to more than there are K tiles; and `threadgroups`, how many
/// share the work, from 1 to more than there are work units.
std::vector<Dimension> reduction_dimensions();

/// M or N, drawn up to a few tiles: the buffers grow with M * N * parallel, which no budget bounds.
Dimension reduced_side(std::string name, std::int64_t Tile::*tile);

/// Sizes at which there are more pieces of work, a slice of a tile each, than 16 bits count.
Dims many_reductions();
/// Of one row and one slice.
Dims more_tiles_than(std::int64_t count);

/// Expects zeros, bit for bit, in both.
std::vector<Expectation> expect_zero_buffers(const Dims& dims);

}  // namespace assay::properties
