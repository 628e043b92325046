#include "properties/operations/experts/moe_routes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "properties/cases/draw.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/planted.hpp"
#include "properties/operations/experts/moe_kinds.hpp"
#include "properties/operations/experts/moe_values.hpp"

namespace assay::properties {
namespace {

using namespace moe;

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

}  // namespace

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
