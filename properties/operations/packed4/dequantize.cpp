// W [K, N] halves from packed 4-bit weights, in the declared chain of roundings (docs/formats.md, "FP4" and
// "INT4").
#include <memory>
#include <numeric>

#include "properties/cases/model_values.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/plain_start.hpp"
#include "properties/cases/planted.hpp"
#include "properties/operations/packed4/dequantize_values.hpp"
#include "properties/operations/packed4/exhaustive.hpp"
#include "properties/operations/packed4/listed_values.hpp"
#include "properties/operations/packed4/packed_weights.hpp"
#include "properties/operations/packed4/zero_points.hpp"
#include "properties/operations/products/gemm_expectation.hpp"
#include "properties/operations/products/group_size.hpp"

namespace assay::properties {
namespace {

OperationDeclaration declare(const WeightFormat& format) {
  OperationDeclaration declared = {
      .name = "dequantize_" + format.name,
      .tensors = weight_specs(format),
      .dimensions =
          {
              {.name = "N", .tile = &Tile::n},
              {.name = "K", .tile = &Tile::k, .related = {"group_size"}},
              group_size_dimension(),
          },
      .regimes = dequantize_regimes(format),
      .listed = listed_regimes(format, false),
      .factors = {"scales"},
      .numbers = {{"scales"}},
      .meanings = weight_meanings(format),
  };
  if (format.zero_points) declared.numbers.push_back({"zeros"});
  declared.tensors.push_back({"W", DType::f16, Role::output, shape_of({"K", "N"})});
  std::vector<PlantedInput> inputs = {{"scales", "N", 1, "K"}};
  if (format.zero_points) inputs.push_back({"zeros", "N", 1, "K"});
  declared.planned_sizes = [](const Tile&) { return long_groups(); };
  // A group of more words than 16 bits count; one, of 123, by which a reciprocal of 20 bits divides wrong.
  declared.long_sizes = [](const Tile&) {
    return std::vector<Dims>{{{"N", 1}, {"K", 524'304}, {"group_size", 524'296}},
                             {{"N", 1}, {"K", 71 * 984}, {"group_size", 984}}};
  };
  const auto sizes = [known = declared.dimensions](const Tile& tile) {
    return ragged_and_whole(known, tile);
  };
  declared.planned.push_back(model_regime(sizes));
  declared.planned.push_back(exponents_regime(format));
  declare_planted(inputs, declared, sizes);
  declare_plain_starts(packed_plain_starts(format), declared, past_plain_starts);
  return declared;
}

class Dequantize final : public Operation {
 public:
  explicit Dequantize(const WeightFormat& format) : Operation(declare(format)), format_(format) {}

  std::vector<Expectation> expect(const Problem& problem, const Arithmetic& arithmetic) const override {
    check_problem(problem);
    const auto weights = format_.weights(problem, arithmetic);
    return list_of(expect_halves("W", weights, packed_choices(problem, format_, weights, arithmetic)));
  }

  std::optional<std::vector<ExactOutput>> exact_outputs(const Problem& problem,
                                                        const Arithmetic& arithmetic) const override {
    if (arithmetic.flushed) return std::nullopt;
    check_problem(problem);
    return exact_halves("W", problem, format_.weights(problem, arithmetic));
  }

  void cover(const Problem& problem, Coverage& coverage) const override {
    cover_packed_weights(problem, coverage);
  }
  std::vector<std::string> wanted_coverage() const override { return all_code_tags(); }
  std::unique_ptr<ExhaustiveRun> exhaustive(const KernelTraits& traits, WordRange words) const override {
    return packed_exhaustive(*this, format_, traits, words);
  }

  std::optional<WeightsSeen> weights_seen(const Problem& problem, std::string_view output) const override {
    if (output != "W") return std::nullopt;
    std::vector<std::size_t> k_of_row(extent(problem.dims, "K"));
    std::iota(k_of_row.begin(), k_of_row.end(), std::size_t{0});
    return packed_weights_seen(problem, std::move(k_of_row));
  }
  std::vector<Counterfactual> counterfactuals(const Problem& problem, const Tile& tile) const override {
    return packed_counterfactuals(problem, tile);
  }

 protected:
  void fill(const Case& planned, Problem& filled) const override {
    const Case test_case = as_counted(planned);
    pack_codes(draw_dequantize_codes(test_case, format_), filled);
    fill_dequantize_scales(test_case, input(filled, "scales").as<std::uint16_t>());
    if (format_.zero_points) {
      fill_dequantize_zeros(test_case, format_, input(filled, "zeros").as<std::uint16_t>());
    }
  }

 private:
  const WeightFormat& format_;
};

const RegisterOperation kDequantizeFp4("dequantize_fp4",
                                       [] { return std::make_unique<Dequantize>(fp4_format()); });
const RegisterOperation kDequantizeU4("dequantize_u4",
                                      [] { return std::make_unique<Dequantize>(u4_format()); });
const RegisterOperation kDequantizeS4("dequantize_s4",
                                      [] { return std::make_unique<Dequantize>(s4_format()); });

}  // namespace
}  // namespace assay::properties
