// C [M, N] = A [M, K] x W [K, N] with packed 4-bit weights (docs/formats.md, "Packing").
#include <memory>

#include "properties/cases/operation.hpp"
#include "properties/operations/packed4/exhaustive.hpp"
#include "properties/operations/packed4/packed_gemm.hpp"
#include "properties/operations/packed4/packed_weights.hpp"

namespace assay::properties {
namespace {

class Gemm final : public Operation {
 public:
  explicit Gemm(const WeightFormat& format)
      : Operation(packed_gemm_declaration("gemm_" + format.name, format)), format_(format) {}

  std::vector<Expectation> expect(const Problem& problem, const Arithmetic& arithmetic) const override {
    check_problem(problem);
    return list_of(expect_packed_gemm(problem, format_, arithmetic));
  }

  void cover(const Problem& problem, Coverage& coverage) const override {
    cover_packed_weights(problem, coverage);
  }
  std::vector<std::string> wanted_coverage() const override { return all_code_tags(); }
  std::unique_ptr<ExhaustiveRun> exhaustive(const KernelTraits& traits, WordRange words) const override {
    return packed_exhaustive(*this, format_, traits, words);
  }

  std::optional<WeightsSeen> weights_seen(const Problem& problem, std::string_view output) const override {
    return packed_gemm_weights_seen(problem, output);
  }
  std::vector<Counterfactual> counterfactuals(const Problem& problem, const Tile& tile) const override {
    return packed_counterfactuals(problem, tile);
  }

 protected:
  void fill(const Case& test_case, Problem& filled) const override {
    fill_packed_gemm(test_case, format_, filled);
  }

 private:
  const WeightFormat& format_;
};

const RegisterOperation kGemmFp4("gemm_fp4", [] { return std::make_unique<Gemm>(fp4_format()); });
const RegisterOperation kGemmU4("gemm_u4", [] { return std::make_unique<Gemm>(u4_format()); });
const RegisterOperation kGemmS4("gemm_s4", [] { return std::make_unique<Gemm>(s4_format()); });

}  // namespace
}  // namespace assay::properties
