// C [M, N] = A [M, K] x W [K, N] with packed 4-bit weights (docs/formats.md, "Packing").
#include <memory>

#include "properties/operation.hpp"
#include "properties/packed_gemm.hpp"
#include "properties/packed_weights.hpp"

namespace assay::properties {
namespace {

class Gemm final : public Operation {
 public:
  explicit Gemm(const WeightFormat& format)
      : Operation(packed_gemm_declaration("gemm_" + format.name, format)), format_(format) {}

  std::vector<verify::Expectation> expect(const verify::Problem& problem,
                                          const Arithmetic& arithmetic) const override {
    check_problem(problem);
    return {expect_packed_gemm(problem, format_, arithmetic)};
  }

  void cover(const verify::Problem& problem, Coverage& coverage) const override {
    cover_packed_weights(problem, coverage);
  }
  std::vector<std::string> wanted_coverage() const override { return all_code_tags(); }
  const WeightFormat* packed_format() const override { return &format_; }

  std::optional<WeightsSeen> weights_seen(const verify::Problem& problem,
                                          std::string_view output) const override {
    return packed_gemm_weights_seen(problem, output);
  }
  std::vector<Counterfactual> counterfactuals(const verify::Problem& problem,
                                              const Tile& tile) const override {
    return packed_counterfactuals(problem, tile);
  }

 protected:
  void fill(const Case& problem, verify::Problem& filled) const override {
    fill_packed_gemm(problem, format_, filled);
  }

 private:
  const WeightFormat& format_;
};

}  // namespace

std::unique_ptr<Operation> make_gemm_fp4() { return std::make_unique<Gemm>(fp4_format()); }
std::unique_ptr<Operation> make_gemm_u4() { return std::make_unique<Gemm>(u4_format()); }
std::unique_ptr<Operation> make_gemm_s4() { return std::make_unique<Gemm>(s4_format()); }

}  // namespace assay::properties
