// Regimes of layers of experts, drawn and planned (moe_values.hpp).
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "properties/cases/model_values.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/plain_start.hpp"
#include "properties/cases/planted.hpp"
#include "properties/cases/special_values.hpp"
#include "properties/operations/experts/moe_kinds.hpp"
#include "properties/operations/experts/moe_values.hpp"
#include "properties/operations/trellis/trellis_values.hpp"

namespace assay::properties {

using namespace moe;

std::vector<Regime> moe_regimes() {
  const auto at_most = [](std::int64_t largest) {
    return [largest](const Dims&, const Arithmetic&) { return largest; };
  };
  const Knob routing = {
      "routing",
      at_most(4),
      {"tokens to any experts", "all tokens to one expert", "each token to one expert in every slot",
       "no token to expert 0", "one token alone to expert 0"}};
  const Knob first = {"first", [](const Dims& dims, const Arithmetic&) { return dim(dims, "K") - 1; }};
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

void declare_planned_moe(OperationDeclaration& declared) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto sizes = [](const Tile&) {
    return std::vector<Dims>{
        {{"M", 25}, {"N", 9}, {"K", 17}, {"intermediate", 9}, {"num_experts", 14}, {"top_k", 2}}};
  };
  for (const TrellisMatrix& matrix : moe_matrices()) {
    for (const char* name : {"scales", "grid", "su", "sv"}) {
      PlantedValue one = {.tensor = matrix.prefix + name, .value = kNone, .line = "num_experts"};
      const auto add = [&](const char* what, const char* where) {
        add_planted(one, fmt::format("{}: {} in {}", one.tensor, what, where), declared);
      };
      one.kept = 2;  // expert 0, to which no token goes, and one that is left as it is
      // What a kernel makes of signs that are none is for those to show that are given any.
      if (std::string_view(name).front() != 's' || std::string_view(name) == "scales")
        add("NaN", "an expert of some tokens");
      one.at_line = PlantedValue::At::first;
      one.kept = 1;
      add("NaN", "an expert without a token");
      one.value = kInfinite;
      one.along = PlantedValue::At::first;
      add("infinity", "an expert without a token");
    }
  }
  declare_planted({{"x", "M", 0, "K", false}}, declared, sizes);
  const auto declare = [&](const char* regime, const char* about, const std::vector<std::string>& words) {
    declared.planned.push_back(
        {.regime = {.name = regime,
                    .about = about,
                    .knobs = {{"kind",
                               [last = std::ssize(words) - 1](const Dims&, const Arithmetic&) {
                                 return last;
                               },
                               words}}},
         .sizes = [](const Tile&) {
           return std::vector<Dims>{
               {{"M", 9}, {"N", 9}, {"K", 17}, {"intermediate", 17}, {"num_experts", 3}, {"top_k", 3}}};
         }});
  };
  PlannedRegime signs = signs_regime();  // the kind whose factors are finite
  signs.regime.knobs.front().names.resize(1);
  declare(signs.regime.name.c_str(), signs.regime.about.c_str(), signs.regime.knobs.front().names);
  declared.planned.back().regime.regrouped_safe = signs.regime.regrouped_safe;
  declare(kRoutes, "probabilities and gates far from the ordinary", kRouteWords);
  declare(kNearly, "gates above a tie of which silu lies below it", {"gates just above a tie"});
  declared.planned.back().sizes = [](const Tile&) {
    return std::vector<Dims>{
        {{"M", kNearlyTokens}, {"N", 1}, {"K", 2}, {"intermediate", 1}, {"num_experts", 1}, {"top_k", 1}}};
  };
  declared.planned.back().lent = false;
  PlannedRegime behind = left_behind_regime();
  behind.regime.knobs.front().names = {"x: infinity before the last tile of K",
                                       "hidden values: infinity before the last tile"};
  behind.sizes = [](const Tile&) {
    return std::vector<Dims>{
        {{"M", 9}, {"N", 9}, {"K", 101}, {"intermediate", 101}, {"num_experts", 5}, {"top_k", 1}}};
  };
  declared.planned.push_back(std::move(behind));
  PlannedRegime rises = rises_regime();
  rises.regime.knobs.front().names = {"sums of gates past 65,504 on the way",
                                      "sums of hidden values past 65,504 on the way"};
  rises.sizes = [](const Tile&) {
    const auto layer = [](std::int64_t inputs, std::int64_t hidden) {
      return Dims{{"M", 2},           {"N", 9},     {"K", inputs},      {"intermediate", hidden},
                  {"num_experts", 1}, {"top_k", 1}, {"group_size", 128}};
    };
    return std::vector{layer(4136, 9), layer(9, 4136)};
  };
  rises.at_once = [](const Dims& dims, std::int64_t first) -> std::int64_t {
    return first == (dim(dims, "K") > dim(dims, "intermediate") ? 0 : 1) ? 1 : 0;
  };
  declared.planned.push_back(std::move(rises));
  declared.planned.push_back(model_regime([](const Tile&) {
    return std::vector<Dims>{
        {{"M", 9}, {"N", 33}, {"K", 65}, {"intermediate", 40}, {"num_experts", 3}, {"top_k", 2}}};
  }));
  std::vector<PlainStart> starts = {{"x", 1}, {"expert_probs", 1}};
  for (const TrellisMatrix& matrix : moe_matrices()) {
    const auto of_matrix = trellis_plain_starts(matrix.prefix);
    starts.insert(starts.end(), of_matrix.begin(), of_matrix.end());
  }
  declare_plain_starts(starts, declared, [](const Tile&) {
    return std::vector<Dims>{
        {{"M", 33}, {"N", 33}, {"K", 40}, {"intermediate", 72}, {"num_experts", 2}, {"top_k", 2}}};
  });
  declare(kPadding, "expert ids past the last, which name no expert", kPaddingWords);
  declared.planned_sizes = [](const Tile&) {
    const auto layer = [](std::int64_t tokens, std::int64_t experts, std::int64_t per_token) {
      return Dims{{"M", tokens},       {"N", 9}, {"K", 9}, {"intermediate", 9}, {"num_experts", experts},
                  {"top_k", per_token}};
    };
    // Long groups of either product, and experts as models have them beside rows of which all experts
    // together have more than 2^16.
    return std::vector<Dims>{
        layer(5, 64, 4),
        layer(9, 600, 8),
        layer(3, 256, 8),
        {{"M", 2}, {"N", 9}, {"K", 2056}, {"intermediate", 9}, {"group_size", 2048}},
        {{"M", 2}, {"N", 9}, {"K", 9}, {"intermediate", 1032}, {"group_size", 512}},
        {{"M", 2}, {"N", 9}, {"K", 72}, {"intermediate", 1032}, {"num_experts", 8}, {"top_k", 2}},
        {{"M", 2}, {"N", 9}, {"K", 1032}, {"intermediate", 9}, {"num_experts", 128}, {"top_k", 8}}};
  };
}

}  // namespace assay::properties
