// C [M, N] = A [M, K] x W [K, N], W in FP4 with a scale per group (specification, sections 2 and 3).
#include <memory>

#include "properties/gemm_expectation.hpp"
#include "properties/gemm_values.hpp"
#include "properties/operation.hpp"
#include "properties/packed_weights.hpp"
#include "reference/dequantize.hpp"

namespace assay::properties {
namespace {

Declaration declare() {
  return {
      .name = "gemm_fp4",
      .tensors =
          {
              {"A", verify::DType::f16, Role::input, shape_of({"M", "K"})},
              packed_weights_spec(),
              per_group_spec("scales"),
              {"C", verify::DType::f16, Role::output, shape_of({"M", "N"})},
          },
      .dimensions =
          {
              {.name = "M", .tile = &Tile::m},
              {.name = "N", .tile = &Tile::n},
              {.name = "K", .tile = &Tile::k, .related = {"group_size"}, .largest = 4096, .reduced = true},
              group_size_dimension(),
          },
      .regimes = gemm_regimes(),
  };
}

class GemmFp4 final : public Operation {
 public:
  GemmFp4() : Operation(declare()) {}

  std::vector<verify::Expectation> expect(const verify::Problem& problem,
                                          const Arithmetic& arithmetic) const override {
    check_problem(problem);
    const std::size_t M = extent(problem.dims, "M"), N = extent(problem.dims, "N"),
                      K = extent(problem.dims, "K");
    const std::vector<std::uint16_t> W = reference::dequantize_fp4(
        K, N, extent(problem.dims, "group_size"), input(problem, "B").as<std::uint32_t>(),
        input(problem, "scales").as<std::uint16_t>());
    return {expect_product("C", M, N, K, input(problem, "A").as<std::uint16_t>(), W, arithmetic)};
  }

  void cover(const verify::Problem& problem, Coverage& coverage) const override {
    cover_packed_weights(problem, coverage);
  }
  std::vector<std::string> wanted_coverage() const override { return all_code_tags(); }

 protected:
  void fill(const Case& problem, verify::Problem& filled) const override {
    fill_activations(problem, input(filled, "A").as<std::uint16_t>());
    pack_codes(draw_codes(problem, {.zero = 0, .one = 2}), filled);
    fill_scales(problem, input(filled, "scales").as<std::uint16_t>());
  }
};

}  // namespace

std::unique_ptr<Operation> make_gemm_fp4() { return std::make_unique<GemmFp4>(); }

}  // namespace assay::properties
