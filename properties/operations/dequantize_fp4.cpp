// W [K, N] = value(code) * scale of its group, rounded once to half (specification, section 2).
#include <memory>

#include "properties/dequantize_values.hpp"
#include "properties/gemm_expectation.hpp"
#include "properties/operation.hpp"
#include "properties/packed_weights.hpp"
#include "reference/dequantize.hpp"

namespace assay::properties {
namespace {

Declaration declare() {
  return {
      .name = "dequantize_fp4",
      .tensors =
          {
              packed_weights_spec(),
              per_group_spec("scales"),
              {"W", verify::DType::f16, Role::output, shape_of({"K", "N"})},
          },
      .dimensions =
          {
              {.name = "N", .tile = &Tile::n},
              {.name = "K", .tile = &Tile::k, .related = {"group_size"}},
              group_size_dimension(),
          },
      .regimes = dequantize_regimes(),
  };
}

class DequantizeFp4 final : public Operation {
 public:
  DequantizeFp4() : Operation(declare()) {}

  /// A value of a code has two significant bits, so its product with a half is exact in float32 and both
  /// chains of roundings give the same half.
  std::vector<verify::Expectation> expect(const verify::Problem& problem, const Arithmetic&) const override {
    check_problem(problem);
    const std::vector<std::uint16_t> W = reference::dequantize_fp4(
        extent(problem.dims, "K"), extent(problem.dims, "N"), extent(problem.dims, "group_size"),
        input(problem, "B").as<std::uint32_t>(), input(problem, "scales").as<std::uint16_t>());
    return {expect_halves("W", W)};
  }

  void cover(const verify::Problem& problem, Coverage& coverage) const override {
    cover_packed_weights(problem, coverage);
  }
  std::vector<std::string> wanted_coverage() const override { return all_code_tags(); }

 protected:
  void fill(const Case& problem, verify::Problem& filled) const override {
    pack_codes(draw_dequantize_codes(problem), filled);
    fill_dequantize_scales(problem, input(filled, "scales").as<std::uint16_t>());
  }
};

}  // namespace

std::unique_ptr<Operation> make_dequantize_fp4() { return std::make_unique<DequantizeFp4>(); }

}  // namespace assay::properties
