// Trellis weights: W [K, N] from them, and C [M, N] = A [M, K] x W (docs/formats.md, "Trellis").
#include <memory>
#include <numeric>
#include <utility>

#include "properties/cases/model_values.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/plain_start.hpp"
#include "properties/cases/planted.hpp"
#include "properties/operations/products/gemm_expectation.hpp"
#include "properties/operations/products/gemm_values.hpp"
#include "properties/operations/products/group_size.hpp"
#include "properties/operations/products/weights_meaning.hpp"
#include "properties/operations/trellis/trellis_counterfactuals.hpp"
#include "properties/operations/trellis/trellis_values.hpp"
#include "properties/operations/trellis/trellis_weights.hpp"

namespace assay::properties {
namespace {

/// Planned cases; the inputs beside those of the weights.
void declare_planned(std::vector<PlantedInput> inputs, OperationDeclaration& declared) {
  const auto sizes = [known = declared.dimensions](const Tile& tile) {
    return ragged_and_whole(known, tile);
  };
  declared.planned_sizes = [](const Tile&) { return long_groups(); };
  declared.planned.push_back(signs_regime());
  declared.planned.back().sizes = sizes;
  declared.planned.push_back(factors_regime());
  if (find_named(declared.tensors, "A") != nullptr) {
    declared.planned.push_back(left_behind_regime());
    declared.planned.push_back(rises_regime());
    declared.planned.push_back(blank_regime());
    declared.planned.push_back(brink_regime());
  }
  declared.planned.push_back(model_regime(sizes));
  std::vector<PlainStart> starts = trellis_plain_starts();
  if (find_named(declared.tensors, "A") != nullptr) starts.insert(starts.end(), {{"A", 1}, {"A", 0}});
  declare_plain_starts(starts, declared, past_plain_starts);
  inputs.push_back({"scales", "N", 1, "K"});
  inputs.push_back({.tensor = "grid"});
  declare_planted(inputs, declared, sizes);
}

class OfTrellis : public Operation {
 public:
  using Operation::Operation;

  std::vector<std::string> warnings(const Problem& problem) const override {
    return trellis_warnings(problem, {TrellisMatrix()});
  }
  void cover(const Problem& problem, Coverage& coverage) const override {
    cover_trellis(trellis_weights(problem), coverage);
  }
  std::vector<std::string> wanted_coverage() const override { return all_trellis_tags(); }

  std::optional<WeightsSeen> weights_seen(const Problem& problem, std::string_view output) const override {
    std::vector<std::size_t> k_of_row(extent(problem.dims, "K"));
    std::iota(k_of_row.begin(), k_of_row.end(), std::size_t{0});
    if (output == "C") {
      auto rows = unit_rows(input(problem, "A"));
      if (!rows) return std::nullopt;
      k_of_row = std::move(*rows);
    }
    return trellis_weights_seen(trellis_weights(problem), std::move(k_of_row));
  }
  std::vector<Counterfactual> counterfactuals(const Problem& problem, const Tile& tile) const override {
    return trellis_counterfactuals(problem, tile);
  }

 protected:
  std::string mistaken_shape(const Tensor& stored, const Dims& dims) const override {
    return mistaken_trellis_shape(stored, dims, {TrellisMatrix()});
  }
};

OperationDeclaration declare_dequantize() {
  OperationDeclaration declared = {
      .name = "dequantize_trellis",
      .tensors = trellis_specs(),
      .dimensions =
          {
              {.name = "N", .tile = &Tile::n},
              {.name = "K", .tile = &Tile::k, .related = {"group_size"}},
          },
      .regimes = dequantize_trellis_regimes(),
      .factors = {"scales", "grid"},
      .meanings = trellis_meanings({TrellisMatrix()}),
  };
  declared.tensors.push_back({"W", DType::f16, Role::output, shape_of({"K", "N"})});
  for (Dimension& one : trellis_dimensions()) declared.dimensions.push_back(std::move(one));
  declare_planned({}, declared);
  return declared;
}

class DequantizeTrellis final : public OfTrellis {
 public:
  DequantizeTrellis() : OfTrellis(declare_dequantize()) {}

  std::vector<Expectation> expect(const Problem& problem, const Arithmetic& arithmetic) const override {
    check_problem(problem);
    const auto weights = meant_weights(reference::dequantize_trellis(trellis_weights(problem)), arithmetic);
    return list_of(expect_halves("W", weights, trellis_choices(problem, weights, arithmetic)));
  }
  std::optional<std::vector<ExactOutput>> exact_outputs(const Problem& problem,
                                                        const Arithmetic& arithmetic) const override {
    if (arithmetic.flushed) return std::nullopt;
    check_problem(problem);
    return exact_halves("W", problem,
                        meant_weights(reference::dequantize_trellis(trellis_weights(problem)), arithmetic));
  }

 protected:
  void fill(const Case& test_case, Problem& filled) const override {
    fill_dequantize_trellis(test_case, TrellisMatrix().sizes(test_case.dims), trellis_tensors(filled));
  }
};

OperationDeclaration declare_gemm() {
  OperationDeclaration declared = {
      .name = "gemm_trellis",
      .tensors = trellis_specs(),
      .dimensions =
          {
              {.name = "M", .tile = &Tile::m},
              {.name = "N", .tile = &Tile::n},
              {.name = "K", .tile = &Tile::k, .related = {"group_size"}, .largest = 4096, .reduced = true},
          },
      .regimes = gemm_regimes(),
      .factors = {"A", "scales", "grid"},
      .numbers = {{"A"}},
      .meanings = trellis_meanings({TrellisMatrix()}),
  };
  declared.tensors.insert(declared.tensors.begin(), {"A", DType::f16, Role::input, shape_of({"M", "K"})});
  declared.tensors.push_back({"C", DType::f16, Role::output, shape_of({"M", "N"})});
  for (Dimension& one : trellis_dimensions()) declared.dimensions.push_back(std::move(one));
  declared.long_sizes = [](const Tile&) { return long_sums(); };
  declare_planned({{"A", "M", 0, "K"}}, declared);
  return declared;
}

class GemmTrellis final : public OfTrellis {
 public:
  GemmTrellis() : OfTrellis(declare_gemm()) {}

  std::vector<Expectation> expect(const Problem& problem, const Arithmetic& arithmetic) const override {
    check_problem(problem);
    const auto weights = meant_weights(reference::dequantize_trellis(trellis_weights(problem)), arithmetic);
    return list_of(expect_product("C", extent(problem.dims, "M"), extent(problem.dims, "N"),
                                  extent(problem.dims, "K"), input(problem, "A").as<std::uint16_t>(), weights,
                                  arithmetic, {.choices = trellis_choices(problem, weights, arithmetic)}));
  }

 protected:
  void fill(const Case& test_case, Problem& filled) const override {
    fill_activations(test_case, input(filled, "A").as<std::uint16_t>());
    fill_trellis(test_case, TrellisMatrix().sizes(test_case.dims), "", trellis_tensors(filled));
  }
};

const RegisterOperation kDequantizeTrellis("dequantize_trellis",
                                           [] { return std::make_unique<DequantizeTrellis>(); });
const RegisterOperation kGemmTrellis("gemm_trellis", [] { return std::make_unique<GemmTrellis>(); });

}  // namespace
}  // namespace assay::properties
