// out [M, N]: each of M tokens through top_k of num_experts experts with SwiGLU and trellis weights
// (specification, section 3; document 002, section 7).
//
//   probe    rows of x are unit vectors and gate weights at least 32 in magnitude, where silu is the identity
//   or
//            0 but for what the rounding of the hidden value takes away: routes, projections and stacks of
//            weights, with hardly any tolerance.
//   random   ordinary values.
//   steep    gates of some hundreds of both signs: exp that overflows and underflows.
//   special  random, with NaN in some tokens: they must stay in their rows.
//
// Knob `routing`: 0 any experts; 1 all tokens to one; 2 each token to one, in every slot; 3 none to expert 0.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include "properties/draw.hpp"
#include "properties/gemm_values.hpp"
#include "properties/operation.hpp"
#include "properties/packed_weights.hpp"
#include "properties/special_values.hpp"
#include "properties/trellis_values.hpp"
#include "properties/trellis_weights.hpp"
#include "reference/half.hpp"
#include "reference/moe.hpp"

namespace assay::properties {
namespace {

constexpr std::uint16_t kNan = 0x7E00;
/// Of sizes: work grows with the product of two of them for each expert that has a token, which no budget
/// counts.
constexpr std::int64_t kLargest = 256;

const TrellisMatrix kGate = {"gate_", "K", "intermediate", "num_experts"};
const TrellisMatrix kUp = {"up_", "K", "intermediate", "num_experts"};
const TrellisMatrix kDown = {"down_", "intermediate", "N", "num_experts"};

std::vector<Regime> regimes() {
  const auto at_most = [](std::int64_t largest) {
    return [largest](const verify::Dims&, const Arithmetic&) { return largest; };
  };
  const Knob routing = {"routing", at_most(3)};
  const Knob first = {"first",
                      [](const verify::Dims& dims, const Arithmetic&) { return dim(dims, "K") - 1; }};
  return {
      {.name = "probe",
       .about = "unit vectors and gates so large that silu is the identity or 0: nearly exact",
       .knobs = {routing, first},
       .weight = 4},
      {.name = "random",
       .about = "ordinary values, judged by the carried bound",
       .knobs = {routing},
       .weight = 4},
      {.name = "steep",
       .about = "gates at which exp overflows and underflows",
       .knobs = {routing},
       .weight = 2},
      {.name = "special",
       .about = "NaN in some tokens, which must stay in their rows",
       .knobs = {routing, {"count", at_most(3)}},
       .weight = 1},
  };
}

Declaration declare() {
  Declaration declared = {
      .name = "moe_swiglu_trellis",
      .tensors =
          {
              {"x", verify::DType::f16, Role::input, shape_of({"M", "K"})},
              {"expert_ids", verify::DType::u32, Role::input, shape_of({"M", "top_k"})},
              {"expert_probs", verify::DType::f32, Role::input, shape_of({"M", "top_k"})},
          },
      .dimensions =
          {
              {.name = "M", .tile = &Tile::m, .largest = 64},
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
              {.name = "num_experts", .choices = {1, 2, 3, 5}},
              {.name = "top_k", .choices = {1, 2, 3}},
          },
      .regimes = regimes(),
  };
  for (const TrellisMatrix& matrix : {kGate, kUp, kDown}) {
    for (TensorSpec& spec : trellis_specs(matrix)) declared.tensors.push_back(std::move(spec));
  }
  declared.tensors.push_back({"out", verify::DType::f16, Role::output, shape_of({"M", "N"})});
  for (Dimension& one : trellis_dimensions()) declared.dimensions.push_back(std::move(one));
  return declared;
}

void fill_routes(const Case& problem, verify::Problem& filled) {
  const auto experts = static_cast<std::uint32_t>(dim(problem.dims, "num_experts"));
  const std::size_t top_k = extent(problem.dims, "top_k");
  const std::int64_t routing = knob_of(problem, "routing");
  const Draw ids(problem.seed, "expert_ids"), probs(problem.seed, "expert_probs");
  const auto expert_ids = input(filled, "expert_ids").as<std::uint32_t>();
  const auto expert_probs = input(filled, "expert_probs").as<float>();
  for (std::size_t i = 0; i < expert_ids.size(); ++i) {
    const std::size_t drawn = routing == 1 ? 0 : routing == 2 ? i / top_k * top_k : i;
    const std::uint32_t least = routing == 3 && experts > 1 ? 1 : 0;
    expert_ids[i] = least + below(experts - least, ids.words(drawn)[0]);
    const Words words = probs.words(i);
    expert_probs[i] = problem.regime == "probe"
                          ? std::ldexp(1.0F, -static_cast<int>(below(4, words[0])))
                          : 0.0625F + static_cast<float>(words[0] >> 8) * 0x1p-24F * 0.9375F;
  }
}

/// Weights under which gates are what the regime says; `problem` has a regime of products.
void fill_gate(const Case& problem, const std::string& regime, const TrellisMatrix& matrix,
               std::size_t expert, verify::Problem& filled) {
  const TrellisTensors tensors = trellis_tensors(filled, matrix, expert);
  fill_trellis(problem, matrix.sizes(problem.dims), fmt::format("{}{} ", matrix.prefix, expert), tensors);
  if (matrix.prefix != kGate.prefix) return;
  for (std::size_t i = 0; regime == "probe" && i < tensors.grid.size(); ++i) {
    tensors.grid[i] = 32.0F + 8.0F * static_cast<float>(i);
  }
  for (float& scale : tensors.scales) {
    if (regime == "steep") scale *= 32.0F;
  }
}

class MoeSwiglu final : public Operation {
 public:
  MoeSwiglu() : Operation(declare()) {}

  std::vector<verify::Expectation> expect(const verify::Problem& problem,
                                          const Arithmetic& arithmetic) const override {
    check_problem(problem);
    if (arithmetic.accumulate == Precision::half_precision) {
      throw Unjudgeable("half accumulators: no bound is known for their silu");
    }
    std::vector<reference::ExpertWeights> experts;
    for (std::size_t e = 0; e < extent(problem.dims, "num_experts"); ++e) {
      experts.push_back({reference::dequantize_trellis(trellis_weights(problem, kGate, e)),
                         reference::dequantize_trellis(trellis_weights(problem, kUp, e)),
                         reference::dequantize_trellis(trellis_weights(problem, kDown, e))});
    }
    const reference::MoeProblem moe = {extent(problem.dims, "M"),
                                       extent(problem.dims, "K"),
                                       extent(problem.dims, "intermediate"),
                                       extent(problem.dims, "N"),
                                       extent(problem.dims, "top_k"),
                                       input(problem, "x").as<std::uint16_t>(),
                                       input(problem, "expert_ids").as<std::uint32_t>(),
                                       input(problem, "expert_probs").as<float>(),
                                       experts};
    const bool half_hidden = arithmetic.intermediate == Precision::half_precision;
    try {
      return {
          expectation_of(reference::moe_swiglu(moe, {unit_roundoff(arithmetic.accumulate), half_hidden}))};
    } catch (const std::domain_error& nothing) {
      throw Unjudgeable(nothing.what());
    }
  }

  void cover(const verify::Problem& problem, Coverage& coverage) const override {
    const std::size_t experts = extent(problem.dims, "num_experts"), top_k = extent(problem.dims, "top_k");
    const auto ids = input(problem, "expert_ids").as<std::uint32_t>();
    const std::set<std::uint32_t> used(ids.begin(), ids.end());
    if (experts > 1 && used.size() < experts) coverage.add("expert without a token");
    if (experts > 1 && used.size() == experts) coverage.add("every expert has a token");
    if (experts > 1 && used.size() == 1 && ids.size() > top_k) coverage.add("one expert has all tokens");
    for (std::size_t i = 0; i < ids.size(); i += top_k) {
      const std::set<std::uint32_t> of_token(ids.begin() + static_cast<std::ptrdiff_t>(i),
                                             ids.begin() + static_cast<std::ptrdiff_t>(i + top_k));
      if (of_token.size() < top_k) coverage.add("an expert twice for a token");
      if (of_token.size() > 1) coverage.add("several experts for a token");
    }
    for (const TrellisMatrix& matrix : {kGate, kUp, kDown}) {
      cover_trellis(trellis_weights(problem, matrix, experts - 1), coverage);
    }
  }

  std::vector<std::string> wanted_coverage() const override {
    std::vector<std::string> tags = all_trellis_tags();
    for (const char* tag : {"expert without a token", "every expert has a token", "one expert has all tokens",
                            "an expert twice for a token", "several experts for a token"}) {
      tags.emplace_back(tag);
    }
    return tags;
  }

 protected:
  void fill(const Case& problem, verify::Problem& filled) const override {
    fill_routes(problem, filled);
    Case values = problem;  // as products have them
    if (problem.regime != "probe") values.regime = "random";
    const auto x = input(filled, "x").as<std::uint16_t>();
    fill_activations(values, x);
    const std::size_t M = extent(problem.dims, "M"), K = extent(problem.dims, "K");
    if (problem.regime == "special") {
      const Draw places(problem.seed, "x specials");
      const std::size_t count =
          std::min(M - 1, static_cast<std::size_t>(std::min<std::int64_t>(knob_of(problem, "count"), 7)) + 1);
      for (std::size_t i = 0; i < count; ++i) {
        const Words words = places.words(i);
        x[below(static_cast<std::uint32_t>(M), words[0]) * K +
          below(static_cast<std::uint32_t>(K), words[1])] = kNan;
      }
    }
    if (problem.regime == "probe") values.regime = "exact";
    values.knobs.clear();
    for (const TrellisMatrix& matrix : {kGate, kUp, kDown}) {
      for (std::size_t e = 0; e < extent(problem.dims, "num_experts"); ++e) {
        fill_gate(values, problem.regime, matrix, e, filled);
      }
    }
  }

 private:
  static verify::Expectation expectation_of(const reference::MoeResult& result) {
    verify::Expectation expected;
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

}  // namespace

std::unique_ptr<Operation> make_moe_swiglu_trellis() { return std::make_unique<MoeSwiglu>(); }

}  // namespace assay::properties
