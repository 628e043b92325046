// out [M, N]: each of M tokens through top_k of num_experts experts with SwiGLU and trellis weights
// (docs/operations.md, "Mixture of experts"; document 002, section 7: docs/documents.md).
#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

#include "properties/cases/operation.hpp"
#include "properties/cases/planted.hpp"
#include "properties/operations/experts/moe_values.hpp"
#include "properties/operations/products/weights_meaning.hpp"
#include "reference/moe.hpp"

namespace assay::properties {
namespace {

/// Of sizes: work grows with the product of two of them for each expert that has a token, which no budget
/// counts.
constexpr std::int64_t kLargest = 256;

OperationDeclaration declare_moe_swiglu() {
  OperationDeclaration declared = {
      .name = "moe_swiglu_trellis",
      .tensors =
          {
              {"x", DType::f16, Role::input, shape_of({"M", "K"})},
              {"expert_ids", DType::u32, Role::input, shape_of({"M", "top_k"})},
              {"expert_probs", DType::f32, Role::input, shape_of({"M", "top_k"})},
          },
      .dimensions =
          {
              {.name = "M",
               .tile = &Tile::m,
               .largest = 64,
               .huge = false},  // each token costs several tiles
              {.name = "N", .tile = &Tile::n, .largest = kLargest},
              {.name = "K",
               .tile = &Tile::k,
               .related = {"group_size"},
               .largest = kLargest,
               .reduced = true},
              {.name = "intermediate",
               .tile = &Tile::n,
               .related = {"group_size"},
               .largest = kLargest,
               .reduced = true},
              {.name = "num_experts", .choices = {1, 2, 3, 5}, .rare = {9, 33}, .stacks = true},
              {.name = "top_k", .choices = {1, 2, 3}, .rare = {5, 9}},
          },
      .regimes = moe_regimes(),
      .factors = {"expert_probs", "down_scales"},
      .numbers = {{.name = "x", .infinite = false}},
      .layer = {.hidden = "intermediate", .experts = "num_experts", .per_token = "top_k"},
      .meanings = trellis_meanings({moe_gate(), moe_up(), moe_down()}),
  };
  for (const TrellisMatrix& matrix : moe_matrices()) {
    for (TensorSpec& spec : trellis_specs(matrix)) declared.tensors.push_back(std::move(spec));
  }
  declared.tensors.push_back({"out", DType::f16, Role::output, shape_of({"M", "N"})});
  for (Dimension& one : trellis_dimensions()) declared.dimensions.push_back(std::move(one));
  declare_planned_moe(declared);
  return declared;
}

class MoeSwiglu final : public Operation {
 public:
  MoeSwiglu() : Operation(declare_moe_swiglu()) {}

  std::vector<Expectation> expect(const Problem& problem, const Arithmetic& arithmetic) const override {
    check_problem(problem);
    if (arithmetic.accumulate == Precision::half_precision) {
      throw Unjudgeable("half accumulators: no bound is known for their silu");
    }
    const auto experts = experts_of(problem, arithmetic, false);
    std::vector<reference::ExpertWeights> flushed;
    if (arithmetic.flushed) flushed = experts_of(problem, arithmetic, true);
    const reference::MoeProblem moe = {extent(problem.dims, "M"),
                                       extent(problem.dims, "K"),
                                       extent(problem.dims, "intermediate"),
                                       extent(problem.dims, "N"),
                                       extent(problem.dims, "top_k"),
                                       input(problem, "x").as<std::uint16_t>(),
                                       input(problem, "expert_ids").as<std::uint32_t>(),
                                       input(problem, "expert_probs").as<float>(),
                                       experts,
                                       flushed};
    const bool half_hidden = arithmetic.intermediate == Precision::half_precision;
    try {
      return list_of(
          expectation_of(reference::moe_swiglu(moe, {unit_roundoff(arithmetic.accumulate), half_hidden})));
    } catch (const std::domain_error& nothing) {
      throw Unjudgeable(nothing.what());
    }
  }

  /// The experts that tokens of the part go to; one that no token goes to where there is none.
  std::optional<Chosen> chosen_by(const Problem& whole, const Part& part) const override {
    const std::size_t experts = extent(whole.dims, "num_experts"), top_k = extent(whole.dims, "top_k");
    const auto tokens = part.find("M");
    const Range rows = tokens == part.end() ? Range{0, extent(whole.dims, "M")} : tokens->second;
    std::vector<std::uint32_t> ids((rows.end - rows.begin) * top_k);
    input(whole, "expert_ids").copy(rows.begin * top_k, std::as_writable_bytes(std::span(ids)));
    std::set<std::size_t> used(ids.begin(), ids.end());
    used.erase(used.lower_bound(experts), used.end());
    if (used.empty()) used.insert(0);
    return Chosen{"num_experts", {used.begin(), used.end()}};
  }

  /// Ids past the last expert stay past it.
  void renumber(const Chosen& chosen, Problem& cut) const override {
    for (std::uint32_t& id : input(cut, "expert_ids").as<std::uint32_t>()) {
      const auto found = std::lower_bound(chosen.indices.begin(), chosen.indices.end(), id);
      const bool known = found != chosen.indices.end() && *found == id;
      if (known)
        id = static_cast<std::uint32_t>(found - chosen.indices.begin());
      else
        id = std::max(id, static_cast<std::uint32_t>(chosen.indices.size()));
    }
  }

  std::vector<std::string> warnings(const Problem& problem) const override {
    return trellis_warnings(problem, {moe_gate(), moe_up(), moe_down()});
  }

  void cover(const Problem& problem, Coverage& coverage) const override {
    const std::size_t experts = extent(problem.dims, "num_experts"), top_k = extent(problem.dims, "top_k");
    const auto ids = input(problem, "expert_ids").as<std::uint32_t>();
    std::set<std::uint32_t> used(ids.begin(), ids.end());
    if (std::erase_if(used, [&](std::uint32_t expert) { return expert >= experts; }) > 0)
      coverage.add("slot without an expert");
    const bool lone = std::any_of(used.begin(), used.end(), [&](std::uint32_t expert) {
      return std::count(ids.begin(), ids.end(), expert) == 1;
    });
    if (experts > 1 && ids.size() > top_k && lone) coverage.add("one token has an expert for itself");
    if (experts > 1 && used.size() < experts) coverage.add("expert without a token");
    if (experts > 1 && used.size() == experts) coverage.add("every expert has a token");
    if (experts > 1 && used.size() == 1 && ids.size() > top_k) coverage.add("one expert has all tokens");
    for (std::size_t i = 0; i < ids.size(); i += top_k) {
      const std::set<std::uint32_t> of_token(ids.begin() + static_cast<std::ptrdiff_t>(i),
                                             ids.begin() + static_cast<std::ptrdiff_t>(i + top_k));
      if (of_token.size() < top_k) coverage.add("an expert twice for a token");
      if (of_token.size() > 1) coverage.add("several experts for a token");
    }
    for (const TrellisMatrix& matrix : moe_matrices()) {
      cover_trellis(trellis_weights(problem, matrix, experts - 1), coverage);
    }
  }

  std::vector<std::string> wanted_coverage() const override {
    std::vector<std::string> tags = all_trellis_tags();
    for (const char* tag : {"expert without a token", "every expert has a token", "one expert has all tokens",
                            "one token has an expert for itself", "an expert twice for a token",
                            "several experts for a token"}) {
      tags.emplace_back(tag);
    }
    return tags;
  }

  std::vector<Counterfactual> counterfactuals(const Problem& problem, const Tile&) const override {
    return moe_counterfactuals(problem);
  }

 protected:
  std::string mistaken_shape(const Tensor& stored, const Dims& dims) const override {
    return mistaken_trellis_shape(stored, dims, {moe_gate(), moe_up(), moe_down()});
  }

  void fill(const Case& test_case, Problem& filled) const override { fill_moe(test_case, filled); }

 private:
  static std::vector<reference::ExpertWeights> experts_of(const Problem& problem,
                                                          const Arithmetic& arithmetic, bool flushed) {
    std::vector<reference::ExpertWeights> experts;
    const auto weights = [&](const TrellisMatrix& matrix, std::size_t e) {
      return meant_weights(reference::dequantize_trellis(trellis_weights(problem, matrix, e), flushed),
                           arithmetic);
    };
    for (std::size_t e = 0; e < extent(problem.dims, "num_experts"); ++e)
      experts.push_back({weights(moe_gate(), e), weights(moe_up(), e), weights(moe_down(), e)});
    return experts;
  }

  static Expectation expectation_of(const reference::MoeResult& result) {
    Expectation expected;
    expected.tensor = "out";
    // The last bit of a double exp is not the same in every mathematical library, and golden sets are.
    for (const double value : result.value) expected.value.push_back(static_cast<float>(value));
    for (const reference::Interval& right : result.right) {
      expected.low.push_back(right.low);
      expected.high.push_back(right.high);
    }
    expected.bound =
        "forward error bounds of both products, of silu and of the weighted sum, rounded to half";
    return expected;
  }
};

const RegisterOperation kMoeSwigluTrellis("moe_swiglu_trellis", [] { return std::make_unique<MoeSwiglu>(); });

}  // namespace
}  // namespace assay::properties
