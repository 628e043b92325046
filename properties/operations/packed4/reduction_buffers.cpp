#include "properties/operations/packed4/reduction_buffers.hpp"

#include <string>
#include <utility>

#include "properties/operations/packed4/packed_weights.hpp"

namespace assay::properties {
namespace {

/// Four tiles and one row or column.
constexpr std::int64_t kLargestSide = 257;

std::size_t tiles_over(std::size_t size) { return (size + kTileSide - 1) / kTileSide; }

Expectation expect_zeros(std::string_view tensor, std::size_t elements) {
  Expectation expected;
  expected.tensor = tensor;
  expected.value.assign(elements, 0.0);
  expected.low = expected.value;
  expected.high = expected.value;
  expected.signed_zero = true;
  expected.bound = "zero after every launch";
  return expected;
}

}  // namespace

std::size_t reduction_tiles(const Dims& dims) {
  return tiles_over(extent(dims, "M")) * tiles_over(extent(dims, "N"));
}

std::vector<TensorSpec> reduction_specs() {
  return {
      {"partials", DType::f32, Role::in_out, shape_of({"parallel", "M", "N"})},
      {"counters", DType::u32, Role::in_out,
       [](const Dims& dims) { return std::vector{reduction_tiles(dims)}; }},
  };
}

std::vector<Dimension> reduction_dimensions() {
  return {
      {.name = "parallel", .choices = {1, 2, 3, 4, 5, 6, 7, 8, 11, 16}, .rare = {17, 33}, .cuts_sums = true},
      {.name = "threadgroups", .choices = {1, 2, 3, 4, 5, 6, 7, 8, 16, 33, 100}, .shares_work = true},
  };
}

Dimension reduced_side(std::string name, std::int64_t Tile::*tile) {
  return {.name = std::move(name), .tile = tile, .largest = kLargestSide};
}

Dims many_reductions() {
  constexpr std::int64_t kSide = kTileSide, kTiles = 2'001, kSlices = 33;
  static_assert(kTiles * kSlices > 1 << 16);
  return {{"M", 1}, {"N", (kTiles - 1) * kSide + 5}, {"parallel", kSlices}, {"threadgroups", 7}};
}

Dims more_tiles_than(std::int64_t count) {
  return {{"M", 1}, {"N", count * kTileSide + 5}, {"parallel", 1}, {"threadgroups", 100}};
}

std::vector<Expectation> expect_zero_buffers(const Dims& dims) {
  const std::size_t partials = extent(dims, "parallel") * extent(dims, "M") * extent(dims, "N");
  return list_of(expect_zeros("partials", partials), expect_zeros("counters", reduction_tiles(dims)));
}

}  // namespace assay::properties
