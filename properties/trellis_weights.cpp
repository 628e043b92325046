#include "properties/trellis_weights.hpp"

#include <fmt/format.h>

#include <map>

#include "properties/operation.hpp"
#include "properties/packed_weights.hpp"
#include "reference/groups.hpp"
#include "reference/shape.hpp"

namespace assay::properties {
namespace {

using reference::ceil_div;

constexpr unsigned kWidths[] = {2, 3, 4};
constexpr std::size_t kTile = reference::kTrellisTile;

std::string index_tag(unsigned bits, unsigned index, std::size_t bit) {
  return fmt::format("bits = {}: index {} at bit {}", bits, index, bit);
}

std::string past_tag(unsigned bits) { return fmt::format("bits = {}: index past the grid", bits); }

}  // namespace

std::size_t TrellisSizes::packed_bytes() const {
  return ceil_div(K, kTile) * ceil_div(N, kTile) * reference::trellis_tile_bytes(bits);
}

std::size_t TrellisSizes::scale_count() const { return reference::group_count(K, group_size) * N; }

TrellisSizes trellis_sizes(const verify::Dims& dims, std::string_view rows, std::string_view columns) {
  return {extent(dims, rows), extent(dims, columns), extent(dims, "group_size"), extent(dims, "n_levels"),
          static_cast<unsigned>(extent(dims, "bits"))};
}

std::vector<TensorSpec> trellis_specs() {
  const auto tiles = [](const verify::Dims& dims) {
    const TrellisSizes sizes = trellis_sizes(dims);
    return std::vector{ceil_div(sizes.K, kTile), ceil_div(sizes.N, kTile),
                       reference::trellis_tile_bytes(sizes.bits)};
  };
  const auto groups = [](const verify::Dims& dims) {
    return std::vector{reference::group_count(extent(dims, "K"), extent(dims, "group_size")),
                       extent(dims, "N")};
  };
  return {
      {"packed_indices", verify::DType::u8, Role::input, tiles},
      {"scales", verify::DType::f32, Role::input, groups},
      {"grid", verify::DType::f32, Role::input, shape_of({"n_levels"})},
      {"su", verify::DType::f32, Role::input, shape_of({"K"})},
      {"sv", verify::DType::f32, Role::input, shape_of({"N"})},
  };
}

std::vector<Dimension> trellis_dimensions() {
  return {
      group_size_dimension(),
      {.name = "bits", .choices = {4, 2, 3}, .closed = true},
      {.name = "n_levels",
       .choices = {16, 8, 4, 15, 7, 3, 2, 5, 6, 9, 10, 11, 12, 13, 14},
       .at_most = [](const verify::Dims& dims) { return std::int64_t{1} << dim(dims, "bits"); }},
  };
}

TrellisTensors trellis_tensors(verify::Problem& problem) {
  const auto floats = [&](const char* name) { return input(problem, name).as<float>(); };
  return {input(problem, "packed_indices").as<std::uint8_t>(), floats("scales"), floats("grid"), floats("su"),
          floats("sv")};
}

reference::TrellisWeights trellis_weights(const verify::Problem& problem) {
  const TrellisSizes sizes = trellis_sizes(problem.dims);
  const auto floats = [&](const char* name) { return input(problem, name).as<float>(); };
  return {sizes.K,
          sizes.N,
          sizes.group_size,
          sizes.bits,
          input(problem, "packed_indices").as<std::uint8_t>(),
          floats("scales"),
          floats("grid"),
          floats("su"),
          floats("sv")};
}

void cover_trellis(const reference::TrellisWeights& weights, Coverage& coverage) {
  const auto indices = reference::unpack_trellis(weights.packed_indices, weights.K, weights.N, weights.bits);
  std::map<std::pair<unsigned, std::size_t>, std::uint64_t> counts;
  std::uint64_t past = 0;
  for (std::size_t k = 0; k < weights.K; ++k) {
    for (std::size_t n = 0; n < weights.N; ++n) {
      const unsigned index = indices[k * weights.N + n];
      ++counts[{index, (k % kTile * kTile + n % kTile) * weights.bits % 8}];
      past += index >= weights.grid.size() ? 1 : 0;
    }
  }
  for (const auto& [where, count] : counts)
    coverage.add(index_tag(weights.bits, where.first, where.second), count);
  coverage.add(past_tag(weights.bits), past);
}

std::vector<std::string> all_trellis_tags() {
  std::vector<std::string> tags;
  for (const unsigned bits : kWidths) {
    tags.push_back(past_tag(bits));
    for (unsigned index = 0; index < 1U << bits; ++index) {
      for (std::size_t bit = 0; bit < 8; ++bit) {
        const bool possible = bits == 3 || bit % bits == 0;
        if (possible) tags.push_back(index_tag(bits, index, bit));
      }
    }
  }
  return tags;
}

}  // namespace assay::properties
