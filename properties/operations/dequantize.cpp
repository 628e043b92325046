// W [K, N] halves from packed 4-bit weights, in the declared chain of roundings (docs/formats.md, "FP4" and
// "INT4").
#include <memory>
#include <numeric>

#include "properties/dequantize_values.hpp"
#include "properties/gemm_expectation.hpp"
#include "properties/listed_values.hpp"
#include "properties/operation.hpp"
#include "properties/packed_weights.hpp"
#include "properties/zero_points.hpp"

namespace assay::properties {
namespace {

Declaration declare(const WeightFormat& format) {
  Declaration declared = {
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
  };
  if (format.zero_points) declared.numbers.push_back({"zeros"});
  declared.tensors.push_back({"W", verify::DType::f16, Role::output, shape_of({"K", "N"})});
  return declared;
}

class Dequantize final : public Operation {
 public:
  explicit Dequantize(const WeightFormat& format) : Operation(declare(format)), format_(format) {}

  std::vector<verify::Expectation> expect(const verify::Problem& problem,
                                          const Arithmetic& arithmetic) const override {
    check_problem(problem);
    return {expect_halves("W", format_.weights(problem, arithmetic))};
  }

  void cover(const verify::Problem& problem, Coverage& coverage) const override {
    cover_packed_weights(problem, coverage);
  }
  std::vector<std::string> wanted_coverage() const override { return all_code_tags(); }
  const WeightFormat* packed_format() const override { return &format_; }

  std::optional<WeightsSeen> weights_seen(const verify::Problem& problem,
                                          std::string_view output) const override {
    if (output != "W") return std::nullopt;
    std::vector<std::size_t> k_of_row(extent(problem.dims, "K"));
    std::iota(k_of_row.begin(), k_of_row.end(), std::size_t{0});
    return packed_weights_seen(problem, std::move(k_of_row));
  }
  std::vector<Counterfactual> counterfactuals(const verify::Problem& problem,
                                              const Tile& tile) const override {
    return packed_counterfactuals(problem, tile);
  }

 protected:
  void fill(const Case& problem, verify::Problem& filled) const override {
    pack_codes(draw_dequantize_codes(problem), filled);
    fill_dequantize_scales(problem, input(filled, "scales").as<std::uint16_t>());
    if (format_.zero_points) {
      fill_dequantize_zeros(problem, format_, input(filled, "zeros").as<std::uint16_t>());
    }
  }

 private:
  const WeightFormat& format_;
};

}  // namespace

std::unique_ptr<Operation> make_dequantize_fp4() { return std::make_unique<Dequantize>(fp4_format()); }
std::unique_ptr<Operation> make_dequantize_u4() { return std::make_unique<Dequantize>(u4_format()); }
std::unique_ptr<Operation> make_dequantize_s4() { return std::make_unique<Dequantize>(s4_format()); }

}  // namespace assay::properties
