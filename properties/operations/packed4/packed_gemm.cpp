#include "properties/operations/packed4/packed_gemm.hpp"

#include <utility>

#include "properties/cases/model_values.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/plain_start.hpp"
#include "properties/cases/planted.hpp"
#include "properties/operations/packed4/listed_values.hpp"
#include "properties/operations/packed4/packed_weights.hpp"
#include "properties/operations/packed4/zero_points.hpp"
#include "properties/operations/products/gemm_expectation.hpp"
#include "properties/operations/products/gemm_values.hpp"
#include "properties/operations/products/group_size.hpp"

namespace assay::properties {

OperationDeclaration packed_gemm_declaration(std::string name, const WeightFormat& format) {
  OperationDeclaration declared = {
      .name = std::move(name),
      .tensors = weight_specs(format),
      .dimensions =
          {
              {.name = "M", .tile = &Tile::m},
              {.name = "N", .tile = &Tile::n},
              {.name = "K", .tile = &Tile::k, .related = {"group_size"}, .largest = 4096, .reduced = true},
              group_size_dimension(),
          },
      .regimes = gemm_regimes(),
      .listed = listed_regimes(format, true),
      .factors = {"A", "scales"},
      .numbers = {{"A"}, {"scales"}},
      .meanings = weight_meanings(format),
  };
  if (format.zero_points) declared.numbers.push_back({"zeros"});
  declared.tensors.insert(declared.tensors.begin(), {"A", DType::f16, Role::input, shape_of({"M", "K"})});
  declared.tensors.push_back({"C", DType::f16, Role::output, shape_of({"M", "N"})});
  const auto sizes = [known = declared.dimensions](const Tile& tile) {
    return ragged_and_whole(known, tile);
  };
  declared.planned.push_back(nothing_regime());
  declared.planned.back().sizes = sizes;
  declared.planned.push_back(left_behind_regime());
  declared.planned.push_back(rises_regime());
  declared.planned.push_back(blank_regime());
  declared.planned.push_back(brink_regime());
  declared.planned.push_back(exponents_regime(format));
  declared.planned.push_back(model_regime(sizes));
  std::vector<PlantedInput> inputs = {{"A", "M", 0, "K"}, {"scales", "N", 1, "K"}};
  if (format.zero_points) inputs.push_back({"zeros", "N", 1, "K"});
  declared.planned_sizes = [](const Tile&) { return long_groups(); };
  declared.long_sizes = [](const Tile&) { return long_sums(); };
  declare_planted(inputs, declared, sizes);
  std::vector<PlainStart> starts = packed_plain_starts(format);
  starts.insert(starts.begin(), {{"A", 0}});
  starts.push_back({"A", 1});
  declare_plain_starts(starts, declared, past_plain_starts);
  return declared;
}

void fill_packed_gemm(const Case& planned, const WeightFormat& format, Problem& filled) {
  const Case test_case = as_counted(planned);
  fill_activations(test_case, input(filled, "A").as<std::uint16_t>());
  pack_codes(draw_codes(test_case, format), filled);
  fill_scales(test_case, format, input(filled, "scales").as<std::uint16_t>());
  if (format.zero_points) fill_zeros(test_case, format, input(filled, "zeros").as<std::uint16_t>());
}

std::optional<WeightsSeen> packed_gemm_weights_seen(const Problem& problem, std::string_view output) {
  if (output != "C") return std::nullopt;
  auto k_of_row = unit_rows(input(problem, "A"));
  if (!k_of_row) return std::nullopt;
  return packed_weights_seen(problem, std::move(*k_of_row));
}

Expectation expect_packed_gemm(const Problem& problem, const WeightFormat& format,
                               const Arithmetic& arithmetic, std::size_t half_slices) {
  const auto weights = format.weights(problem, arithmetic);
  return expect_product(
      "C", extent(problem.dims, "M"), extent(problem.dims, "N"), extent(problem.dims, "K"),
      input(problem, "A").as<std::uint16_t>(), weights, arithmetic,
      {.half_slices = half_slices, .choices = packed_choices(problem, format, weights, arithmetic)});
}

}  // namespace assay::properties
