#include "properties/operations/trellis/trellis_weights.hpp"

#include <fmt/format.h>

#include "properties/cases/operation.hpp"
#include "properties/operations/products/group_size.hpp"
#include "properties/operations/products/weights_meaning.hpp"
#include "properties/operations/trellis/trellis_counts.hpp"
#include "properties/operations/trellis/trellis_storage.hpp"
#include "reference/groups.hpp"
#include "reference/shape.hpp"
#include "reference/trellis_checks.hpp"

namespace assay::properties {
namespace {

using reference::kTrellisTile;

using reference::ceil_div;

constexpr unsigned kWidths[] = {2, 3, 4};

std::string index_tag(unsigned bits, unsigned index, std::size_t bit) {
  return fmt::format("bits = {}: index {} at bit {}", bits, index, bit);
}

std::string past_tag(unsigned bits) { return fmt::format("bits = {}: index past the grid", bits); }

}  // namespace

std::size_t TrellisSizes::packed_bytes() const {
  return ceil_div(K, kTrellisTile) * ceil_div(N, kTrellisTile) * reference::trellis_tile_bytes(bits);
}

std::size_t TrellisSizes::scale_count() const { return reference::group_count(K, group_size) * N; }

TrellisSizes TrellisMatrix::sizes(const Dims& dims) const {
  return {extent(dims, rows), extent(dims, columns), extent(dims, "group_size"), extent(dims, "n_levels"),
          static_cast<unsigned>(extent(dims, "bits"))};
}

std::vector<TensorSpec> trellis_specs(const TrellisMatrix& matrix) {
  using Shape = std::vector<std::size_t>;
  const auto spec = [&](const char* name, DType dtype, Shape (*shape)(const TrellisSizes&)) {
    return TensorSpec{matrix.prefix + name, dtype, Role::input, [matrix, shape](const Dims& dims) {
                        Shape extents = shape(matrix.sizes(dims));
                        if (!matrix.stack.empty())
                          extents.insert(extents.begin(), extent(dims, matrix.stack));
                        return extents;
                      }};
  };
  return {
      spec("packed_indices", DType::u8,
           [](const TrellisSizes& sizes) {
             return Shape{ceil_div(sizes.K, kTrellisTile), ceil_div(sizes.N, kTrellisTile),
                          reference::trellis_tile_bytes(sizes.bits)};
           }),
      spec("scales", DType::f32,
           [](const TrellisSizes& sizes) {
             return Shape{reference::group_count(sizes.K, sizes.group_size), sizes.N};
           }),
      spec("grid", DType::f32, [](const TrellisSizes& sizes) { return Shape{sizes.n_levels}; }),
      spec("su", DType::f32, [](const TrellisSizes& sizes) { return Shape{sizes.K}; }),
      spec("sv", DType::f32, [](const TrellisSizes& sizes) { return Shape{sizes.N}; }),
  };
}

std::vector<Meaning> trellis_meanings(const std::vector<TrellisMatrix>& matrices) {
  std::vector<std::string> scales, indices, floats;
  for (const TrellisMatrix& one : matrices) {
    scales.push_back(one.prefix + "scales");
    indices.push_back(one.prefix + "packed_indices");
    for (const char* name : {"scales", "grid", "su", "sv"}) floats.push_back(one.prefix + name);
  }
  return {nonfinite_weights_meaning(floats), groups_meaning("scales", scales), indices_meaning(indices)};
}

std::vector<Dimension> trellis_dimensions() {
  return {
      group_size_dimension(),
      {.name = "bits", .choices = {4, 2, 3}, .closed = true},
      {.name = "n_levels",
       .choices = {16, 8, 4, 15, 7, 3, 2, 5, 6, 9, 10, 11, 12, 13, 14},
       .at_most = [](const Dims& dims) { return std::int64_t{1} << dim(dims, "bits"); }},
  };
}

TrellisTensors trellis_tensors(Problem& problem, const TrellisMatrix& matrix, std::size_t index) {
  const TrellisSizes sizes = matrix.sizes(problem.dims);
  const auto part = [&](auto element, const char* name, std::size_t count) {
    return input(problem, matrix.prefix + name).as<decltype(element)>().subspan(index * count, count);
  };
  return {part(std::uint8_t{}, "packed_indices", sizes.packed_bytes()),
          part(0.0F, "scales", sizes.scale_count()), part(0.0F, "grid", sizes.n_levels),
          part(0.0F, "su", sizes.K), part(0.0F, "sv", sizes.N)};
}

reference::TrellisWeights trellis_weights(const Problem& problem, const TrellisMatrix& matrix,
                                          std::size_t index) {
  const TrellisSizes sizes = matrix.sizes(problem.dims);
  const auto part = [&](auto element, const char* name, std::size_t count) {
    return input(problem, matrix.prefix + name).as<decltype(element)>().subspan(index * count, count);
  };
  return {sizes.K,
          sizes.N,
          sizes.group_size,
          sizes.bits,
          part(std::uint8_t{}, "packed_indices", sizes.packed_bytes()),
          part(0.0F, "scales", sizes.scale_count()),
          part(0.0F, "grid", sizes.n_levels),
          part(0.0F, "su", sizes.K),
          part(0.0F, "sv", sizes.N)};
}

std::vector<std::string> trellis_warnings(const Problem& problem,
                                          const std::vector<TrellisMatrix>& matrices) {
  std::vector<std::string> lines;
  for (const TrellisMatrix& matrix : matrices) {
    const std::size_t count = matrix.stack.empty() ? 1 : extent(problem.dims, matrix.stack);
    for (std::size_t i = 0; i < count; ++i) {
      for (const std::string& line : reference::trellis_warnings(trellis_weights(problem, matrix, i))) {
        const auto which = matrix.stack.empty() ? "" : fmt::format(" (matrix {} of {})", i, count);
        lines.push_back(fmt::format("{}{}{}", matrix.prefix, line, which));
      }
    }
  }
  return lines;
}

std::string mistaken_trellis_shape(const Tensor& stored, const Dims& dims,
                                   const std::vector<TrellisMatrix>& matrices) {
  for (const TrellisMatrix& matrix : matrices) {
    const std::size_t first = matrix.stack.empty() ? 0 : 1;
    if (stored.name != matrix.prefix + "packed_indices" || stored.shape.size() != first + 3) continue;
    const TrellisSizes sizes = matrix.sizes(dims);
    const reference::TrellisShape shape = {stored.shape[first], stored.shape[first + 1],
                                           stored.shape[first + 2]};
    if (reference::tiles_exchanged(shape, reference::trellis_shape(sizes.K, sizes.N, sizes.bits)))
      return fmt::format("tile counts exchanged? It is ceil({}/16) tiles down, then ceil({}/16) across",
                         matrix.rows, matrix.columns);
  }
  return "";
}

std::vector<WeightChoice> trellis_choices(const Problem& problem, std::span<const std::uint16_t> weights,
                                          const Arithmetic& arithmetic) {
  if (!arithmetic.flushed) return {};
  return weight_choices(
      weights, {meant_weights(reference::dequantize_trellis(trellis_weights(problem), true), arithmetic)});
}

WeightsSeen trellis_weights_seen(const reference::TrellisWeights& weights,
                                 std::vector<std::size_t> k_of_row) {
  const std::size_t N = weights.N;
  const auto indices = reference::unpack_trellis(weights.packed_indices, weights.K, N, weights.bits);
  const auto names = [](const char* no, const char* yes) { return std::vector<std::string>{no, yes}; };
  Coordinate past{
      "index past the grid", "", {}, true, names("with an index of the grid", "with an index past the grid")};
  Coordinate crossing{
      "index across bytes",
      "",
      {},
      true,
      names("with an index within a byte", "with an index that crosses from one byte to the next")};
  Coordinate su{"su", "", {}, true, names("with a row sign su of +1", "with a row sign su of -1")};
  Coordinate sv{"sv", "", {}, true, names("with a column sign sv of +1", "with a column sign sv of -1")};
  Coordinate index{"with index {}", "with index {}", {}, true},
      bit{"with an index that begins at bit {} of a byte",
          "with an index that begins at bit {} of a byte",
          {},
          true};
  for (const std::size_t k : k_of_row) {
    for (std::size_t n = 0; n < N; ++n) {
      const std::size_t first = (k % kTrellisTile * kTrellisTile + n % kTrellisTile) * weights.bits % 8;
      past.of.push_back(indices[k * N + n] >= weights.grid.size() ? 1 : 0);
      crossing.of.push_back(first + weights.bits > 8 ? 1 : 0);
      su.of.push_back(weights.su[k] < 0 ? 1 : 0);
      sv.of.push_back(weights.sv[n] < 0 ? 1 : 0);
      index.of.push_back(indices[k * N + n]);
      bit.of.push_back(static_cast<std::int64_t>(first));
    }
  }
  return {
      std::move(k_of_row),
      {std::move(past), std::move(crossing), std::move(su), std::move(sv), std::move(index), std::move(bit)}};
}

void cover_trellis(const reference::TrellisWeights& weights, Coverage& coverage) {
  const TrellisCounts counts = count_trellis(weights);
  std::uint64_t past = 0;
  for (unsigned index = 0; index < counts.size(); ++index) {
    for (std::size_t bit = 0; bit < counts[index].size(); ++bit) {
      const std::uint64_t count = counts[index][bit];
      if (count > 0) coverage.add(index_tag(weights.bits, index, bit), count);
      if (index >= weights.grid.size()) past += count;
    }
  }
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
