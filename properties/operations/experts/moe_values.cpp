#include "properties/operations/experts/moe_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "properties/cases/draw.hpp"
#include "properties/cases/model_values.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/plain_start.hpp"
#include "properties/cases/planted.hpp"
#include "properties/cases/special_values.hpp"
#include "properties/operations/products/gemm_values.hpp"
#include "properties/operations/trellis/trellis_values.hpp"
#include "reference/half.hpp"

namespace assay::properties {
namespace {

constexpr std::uint16_t kNan = 0x7E00;

constexpr const char* kRoutes = "routes";
/// Gates a little above what lies halfway between two halves, and silu of them a little below.
constexpr const char* kNearly = "nearly";
constexpr int kLeastNearly = 4, kNearlyTokens = 10;
constexpr float kNearlyUp = 0.125F;
/// Kinds of "routes", in the order of their words.
enum class Routes { negative, zero, equal, large, deep, nothing, high, huge };
/// A requirement of kernels that are given no other ids (harness/verify/value_requirements.hpp).
constexpr const char* kPadding = "known_experts";
const std::vector<std::string> kPaddingWords = {"an expert id just past the last",
                                                "an expert id of all ones, with NaN for its probability"};
const std::vector<std::string> kRouteWords = {
    "negative probabilities",
    "probabilities of 0 and -0",
    "equal probabilities in all slots of a token",
    "probabilities far above 1",
    "gates far below 0 beside a large up",
    "a probability of 0 for an expert of NaN",
    "gates beyond what a half holds beside a small up",
    "probabilities near the largest float in all slots of a token of zeros",
};

/// Kinds of "left_behind" and of "rises".
enum class Along : std::int64_t { input, hidden };
bool is_along(const Case& test_case, Along along) {
  const char* const knob = test_case.regime == kRises ? "size" : "kind";
  return knob_of(test_case, knob) == static_cast<std::int64_t>(along);
}

bool is_kind(const Case& test_case, Routes kind) {
  return test_case.regime == kRoutes && knob_of(test_case, "kind") == static_cast<std::int64_t>(kind);
}

/// Whether the activations of a token are 0.
bool is_of_zeros(const Case& test_case, std::size_t token) {
  return is_kind(test_case, Routes::huge) && token % 2 == 0;
}

/// As kinds of "routes" have it.
void change_route(const Case& test_case, std::uint32_t experts, std::size_t token, std::size_t slot,
                  const Words& words, std::uint32_t& id, float& prob) {
  const bool half_of_them = words[1] % 2 == 0;
  if (is_kind(test_case, Routes::negative) && half_of_them) prob = -prob;
  if (is_kind(test_case, Routes::zero) && half_of_them) prob = words[2] % 2 == 0 ? 0.0F : -0.0F;
  if (is_kind(test_case, Routes::equal)) prob = 0.25F;
  if (test_case.regime == kNearly) prob = 1.0F;
  if (test_case.regime == kPadding && half_of_them) {
    const bool padded = knob_of(test_case, "kind") == 1;
    id = padded ? 0xFFFF'FFFF : experts;
    if (padded) prob = std::numeric_limits<float>::quiet_NaN();
  }
  if (is_kind(test_case, Routes::large)) prob *= 64.0F;
  if (is_kind(test_case, Routes::huge)) {  // of one expert: their sum is no float
    id = static_cast<std::uint32_t>(token) % experts;
    if (is_of_zeros(test_case, token)) prob = 0x1.8p127F;
  }
  if (is_kind(test_case, Routes::nothing)) {  // every other token, in its first slot alone
    id = experts == 1 ? 0 : 1 + id % (experts - 1);
    if (token % 2 == 0 && slot == 0) id = 0, prob = 0.0F;
  }
  if (is_kind(test_case, Routes::deep) || is_kind(test_case, Routes::high) || test_case.regime == kLeftBehind)
    id = static_cast<std::uint32_t>(token) % experts;
}

// Of fill_expert(): kinds of "routes", and those of planned regimes along hidden values.
constexpr const char *kDeep = "deep", *kHigh = "high", *kHiddenBehind = "hidden behind",
                     *kHiddenRises = "hidden rises";

/// How fill_expert() makes the weights of the case.
const char* weights_regime(const Case& test_case) {
  if (is_kind(test_case, Routes::deep)) return kDeep;
  if (is_kind(test_case, Routes::high)) return kHigh;
  const bool hidden = is_along(test_case, Along::hidden);
  if (hidden && test_case.regime == kLeftBehind) return kHiddenBehind;
  if (hidden && test_case.regime == kRises) return kHiddenRises;
  return test_case.regime.c_str();
}

/// Sums over more rows grow as their square root, beyond what a half holds.
constexpr double kUsualRows = 256;

/// Of `tokens`, the one that an expert serves alone: mostly beside a multiple of 8, 16 or 32, where tiles of
/// tokens end and begin.
std::size_t lone_token(const Draw& draw, std::size_t tokens) {
  const Words words = draw.words(0);
  const std::size_t any = below(static_cast<std::uint32_t>(tokens), words[0]);
  if (words[1] % 4 == 0) return any;
  const std::size_t tile = std::size_t{8} << below(3, words[2]);
  const std::size_t edge = std::max((any + tile / 2) / tile, std::size_t{1}) * tile;
  return std::min(tokens - 1, words[3] % 4 == 0 ? edge : edge - 1);
}

void fill_routes(const Case& test_case, Problem& filled) {
  const auto experts = static_cast<std::uint32_t>(dim(test_case.dims, "num_experts"));
  const std::size_t top_k = extent(test_case.dims, "top_k");
  const std::int64_t routing = knob_of(test_case, "routing");
  const Draw ids(test_case.seed, "expert_ids"), probs(test_case.seed, "expert_probs");
  const auto expert_ids = input(filled, "expert_ids").as<std::uint32_t>();
  const auto expert_probs = input(filled, "expert_probs").as<float>();
  for (std::size_t i = 0; i < expert_ids.size(); ++i) {
    const std::size_t drawn = routing == 1 ? 0 : routing == 2 ? i / top_k * top_k : i;
    const std::uint32_t least = routing >= 3 && experts > 1 ? 1 : 0;
    expert_ids[i] = least + below(experts - least, ids.words(drawn)[0]);
    const Words words = probs.words(i);
    expert_probs[i] = test_case.regime == "probe"
                          ? std::ldexp(1.0F, -static_cast<int>(below(4, words[0])))
                          : 0.0625F + static_cast<float>(words[0] >> 8) * 0x1p-24F * 0.9375F;
    if (test_case.regime == kPlanted) {  // expert 0 has no token, expert 1 as many as there are
      expert_ids[i] = experts == 1     ? 0
                      : i % top_k == 0 ? 1 + static_cast<std::uint32_t>(i / top_k) % (experts - 1)
                                       : 1;
    }
    change_route(test_case, experts, i / top_k, i % top_k, words, expert_ids[i], expert_probs[i]);
  }
  // Neighbours a power of two apart: who keeps few bits of a number takes one for the other.
  for (std::size_t i = 1; test_case.regime == "random" && routing == 0 && i < expert_ids.size(); i += 2) {
    const std::uint32_t apart = expert_ids[i - 1] ^ (8U << i / 2 % 8);
    if (i % top_k != 0 && apart < experts) expert_ids[i] = apart;
  }
  // So that no case with many experts leaves out those whose weights lie ahead of all others and behind them.
  if (test_case.regime == "random" && routing == 0) {
    expert_ids.front() = 0;
    expert_ids.back() = experts - 1;
  }
  if (routing == 4) {
    const Draw lone(test_case.seed, "lone token");
    const std::size_t slot = below(static_cast<std::uint32_t>(top_k), lone.words(1)[0]);
    expert_ids[lone_token(lone, extent(test_case.dims, "M")) * top_k + slot] = 0;
  }
}

/// Sums of gates and of up that lie `gate` and `up` from 0 or some more, whatever the expert's sizes are.
/// Activations are positive, 1 or so.
void fill_constant(const TrellisMatrix& matrix, float gate, float up, const TrellisTensors& tensors) {
  const bool is_gate = matrix.prefix == moe_gate().prefix;
  if (!is_gate && matrix.prefix != moe_up().prefix) return;
  const float sum = is_gate ? gate : up;
  const auto rows = static_cast<float>(tensors.su.size());
  const std::size_t columns = tensors.sv.size();
  for (std::size_t i = 0; i < tensors.grid.size(); ++i)
    tensors.grid[i] = std::copysign(1.0F + static_cast<float>(i) / 16.0F, sum);
  for (std::size_t i = 0; i < tensors.scales.size(); ++i) {
    const float more = is_gate ? static_cast<float>(i % columns % 3) / 2 : 0.0F;
    tensors.scales[i] = (std::fabs(sum) + more) / rows;
  }
  std::fill(tensors.su.begin(), tensors.su.end(), 1.0F);
  std::fill(tensors.sv.begin(), tensors.sv.end(), 1.0F);
}

/// Gates of about -4, -12 or -17, as the expert has it, beside sums of up of some 1,000: what a gate that is
/// nearly shut lets through is all that its tokens get.
void fill_deep(const TrellisMatrix& matrix, std::size_t expert, const TrellisTensors& tensors) {
  constexpr std::array<float, 3> kDepths = {3.0F, 8.0F, 12.0F};
  fill_constant(matrix, -kDepths[expert % kDepths.size()], 1000.0F, tensors);
}

/// What silu and the product with up make of a sum of gates in the reals.
double nearly_hidden(double gate) { return gate / (1 + std::exp(-gate)) * gate * kNearlyUp; }

/// Two halves whose sum, as gate and eight times up, gives a hidden value that is below the middle between
/// two halves where it would lie above it if silu were the identity; both far enough from it to tell.
std::array<std::uint16_t, 2> nearly_gate(std::size_t token) {
  const double whole = kLeastNearly + static_cast<double>(token % kNearlyTokens);
  for (std::uint16_t bits = 0x1000; bits < 0x3800; ++bits) {  // 2^-11 to 1/2
    const double gate = whole + reference::half_to_double(bits);
    const double low = nearly_hidden(gate), high = gate * gate * kNearlyUp;
    const double below = reference::half_to_double(reference::half_from_double(low));
    const double middle = (below + reference::half_next_up(below)) / 2;
    if (low < middle - (high - low) / 4 && high > middle + (high - low) / 4)
      return {reference::half_from_double(whole), bits};
  }
  return {kOne, 0};
}

/// As "nearly" has it: all weights are the same.
void fill_nearly(const TrellisMatrix& matrix, const TrellisTensors& tensors) {
  std::fill(tensors.grid.begin(), tensors.grid.end(), 1.0F);
  std::fill(tensors.scales.begin(), tensors.scales.end(),
            matrix.prefix == moe_up().prefix ? kNearlyUp : 1.0F);
  std::fill(tensors.su.begin(), tensors.su.end(), 1.0F);
  std::fill(tensors.sv.begin(), tensors.sv.end(), 1.0F);
}

/// Gates above 65,504, which are nothing out of the ordinary for a float, beside an up that makes up for it.
void fill_high(const TrellisMatrix& matrix, std::size_t expert, const TrellisTensors& tensors) {
  constexpr std::array<float, 3> kHeights = {0x1p17F, 0x1.8p17F, 0x1p18F};
  const float height = kHeights[expert % kHeights.size()];
  fill_constant(matrix, height, 512.0F / height, tensors);  // each weight is a half
}

/// Sums of one sign. Where hidden values are left behind, one of each expert is infinite: each another, a
/// little before the last.
void leave_behind(const TrellisMatrix& matrix, std::size_t expert, bool hidden,
                  const TrellisTensors& tensors) {
  const std::size_t columns = tensors.sv.size(), before = infinity_before_last(expert);
  std::fill(tensors.sv.begin(), tensors.sv.end(), 1.0F);
  if (hidden && matrix.prefix == moe_up().prefix && before < columns)
    tensors.scales[columns - 1 - before] = HUGE_VALF;
}

/// Sums that rise along K and fall again: of gates, beside an up that makes up for it.
void rise_along_input(const TrellisMatrix& matrix, const TrellisTensors& tensors) {
  if (matrix.prefix == moe_up().prefix) std::fill(tensors.scales.begin(), tensors.scales.end(), 0x1p-13F);
}

/// Sums of down that rise along the hidden values and fall again: those of its second half are below 0.
void rise_along_hidden(const TrellisMatrix& matrix, const TrellisTensors& tensors) {
  fill_constant(matrix, 8.0F, 4.0F, tensors);
  const std::size_t columns = tensors.sv.size();
  for (std::size_t i = 0; matrix.prefix == moe_up().prefix && i < columns; ++i)
    tensors.sv[i] = 2 * i < columns ? 1.0F : -1.0F;
}

/// The weights of one expert. `problem` has a regime of products; gates are then made what `regime` says.
void fill_expert(const Case& test_case, const std::string& regime, const TrellisMatrix& matrix,
                 std::size_t expert, Problem& filled) {
  const TrellisTensors tensors = trellis_tensors(filled, matrix, expert);
  fill_trellis(test_case, matrix.sizes(test_case.dims), fmt::format("{}{} ", matrix.prefix, expert), tensors);
  if (regime != "probe" && regime != kRises && regime != kHiddenRises) {
    // unit vectors are no longer with more rows; long sums stay as large as usual ones
    const auto rows = static_cast<double>(matrix.sizes(test_case.dims).K);
    const int down = rows > kUsualRows ? static_cast<int>(std::ceil(std::log2(rows / kUsualRows) / 2)) : 0;
    for (float& scale : tensors.scales) scale = std::ldexp(scale, -down);
  }
  if (regime == kDeep) return fill_deep(matrix, expert, tensors);
  if (regime == kHigh) return fill_high(matrix, expert, tensors);
  if (regime == kNearly) return fill_nearly(matrix, tensors);
  if (regime == kLeftBehind || regime == kHiddenBehind)
    return leave_behind(matrix, expert, regime == kHiddenBehind, tensors);
  if (regime == kRises) return rise_along_input(matrix, tensors);
  if (regime == kHiddenRises) return rise_along_hidden(matrix, tensors);
  if (matrix.prefix != moe_gate().prefix) return;
  for (std::size_t i = 0; regime == "probe" && i < tensors.grid.size(); ++i) {
    tensors.grid[i] = 32.0F + 8.0F * static_cast<float>(i);
  }
  for (float& scale : tensors.scales) {
    if (regime == "steep") scale *= 32.0F;
  }
}

}  // namespace

const TrellisMatrix& moe_gate() {
  static const TrellisMatrix matrix = {"gate_", "K", "intermediate", "num_experts"};
  return matrix;
}

const TrellisMatrix& moe_up() {
  static const TrellisMatrix matrix = {"up_", "K", "intermediate", "num_experts"};
  return matrix;
}

const TrellisMatrix& moe_down() {
  static const TrellisMatrix matrix = {"down_", "intermediate", "N", "num_experts"};
  return matrix;
}

std::array<TrellisMatrix, 3> moe_matrices() { return {moe_gate(), moe_up(), moe_down()}; }

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

void fill_moe(const Case& test_case, Problem& filled) {
  fill_routes(test_case, filled);
  Case values = test_case;  // as products have them
  const bool as_they_are = test_case.regime == "probe" || test_case.regime == kModelLike ||
                           test_case.regime == kLeftBehind || test_case.regime == kRises;
  if (!as_they_are) values.regime = "random";
  const auto x = input(filled, "x").as<std::uint16_t>();
  fill_activations(values, x);
  const std::string regime = weights_regime(test_case);
  for (std::size_t i = 0; (regime == kDeep || regime == kHigh) && i < x.size(); ++i) x[i] &= 0x7FFF;
  if (regime == kHiddenRises) std::fill(x.begin(), x.end(), kOne);
  const std::size_t M = extent(test_case.dims, "M"), K = extent(test_case.dims, "K");
  for (std::size_t i = 0; regime == kNearly && i < x.size(); ++i)
    x[i] = i % K < 2 ? nearly_gate(i / K)[i % K] : std::uint16_t{0};
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (is_of_zeros(test_case, i / K)) x[i] = 0;
  }
  if (test_case.regime == "special") {
    const Draw places(test_case.seed, "x specials");
    const std::size_t count =
        std::min(M - 1, static_cast<std::size_t>(std::min<std::int64_t>(knob_of(test_case, "count"), 7)) + 1);
    for (std::size_t i = 0; i < count; ++i) {
      const Words words = places.words(i);
      x[below(static_cast<std::uint32_t>(M), words[0]) * K + below(static_cast<std::uint32_t>(K), words[1])] =
          kNan;
    }
  }
  if (test_case.regime == "probe") values.regime = "exact";
  if (test_case.regime == signs_regime().regime.name) values.regime = test_case.regime;
  values.knobs.clear();
  for (const TrellisMatrix& matrix : moe_matrices()) {
    for (std::size_t e = 0; e < extent(test_case.dims, "num_experts"); ++e) {
      fill_expert(values, regime, matrix, e, filled);
    }
  }
  if (is_kind(test_case, Routes::nothing)) {
    const auto scales = trellis_tensors(filled, moe_down(), 0).scales;
    std::fill(scales.begin(), scales.end(), std::numeric_limits<float>::quiet_NaN());
  }
}

std::vector<Counterfactual> moe_counterfactuals(const Problem& problem) {
  const std::size_t top_k = extent(problem.dims, "top_k");
  const auto ids = input(problem, "expert_ids").as<std::uint32_t>();
  const auto probs = input(problem, "expert_probs").as<float>();
  std::vector<Counterfactual> found;
  const auto add = [&](const char* words,
                       const std::function<float(std::size_t token, std::size_t slot)>& f) {
    Counterfactual other{words, problem};
    const auto into = input(other.problem, "expert_probs").as<float>();
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = f(i / top_k, i % top_k);
    if (!std::equal(into.begin(), into.end(), probs.begin())) found.push_back(std::move(other));
  };
  add("expert_probs were those of slot number expert modulo top_k", [&](std::size_t token, std::size_t slot) {
    return probs[token * top_k + ids[token * top_k + slot] % top_k];
  });
  add("an expert that a token goes to in several slots counted once",
      [&](std::size_t token, std::size_t slot) {
        const auto first = ids.begin() + static_cast<std::ptrdiff_t>(token * top_k);
        const auto own = first + static_cast<std::ptrdiff_t>(slot);
        return std::find(first, own, *own) == own ? probs[token * top_k + slot] : 0.0F;
      });
  add("expert_probs were those of the next token", [&](std::size_t token, std::size_t slot) {
    return probs[std::min(token * top_k + slot + top_k, probs.size() - top_k + slot)];
  });
  return found;
}

}  // namespace assay::properties
