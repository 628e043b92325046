// What is planned for layers of experts beside what all products have: kinds of routes, gates near a tie, ids
// that name no expert.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "properties/cases/case.hpp"
#include "properties/operations/products/gemm_values.hpp"

namespace assay::properties::moe {

constexpr const char* kRoutes = "routes";
/// Gates a little above what lies halfway between two halves, and silu of them a little below.
constexpr const char* kNearly = "nearly";
constexpr int kLeastNearly = 4, kNearlyTokens = 10;
constexpr float kNearlyUp = 0.125F;
/// Kinds of "routes", in the order of their words.
enum class Routes { negative, zero, equal, large, deep, nothing, high, huge };
/// A requirement of kernels that are given no other ids (harness/verify/value_requirements.hpp).
constexpr const char* kPadding = "known_experts";
inline const std::vector<std::string> kPaddingWords = {
    "an expert id just past the last", "an expert id of all ones, with NaN for its probability"};
inline const std::vector<std::string> kRouteWords = {
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
inline bool is_along(const Case& test_case, Along along) {
  const char* const knob = test_case.regime == kRises ? "size" : "kind";
  return knob_of(test_case, knob) == static_cast<std::int64_t>(along);
}

inline bool is_kind(const Case& test_case, Routes kind) {
  return test_case.regime == kRoutes && knob_of(test_case, "kind") == static_cast<std::int64_t>(kind);
}

/// Whether the activations of a token are 0.
inline bool is_of_zeros(const Case& test_case, std::size_t token) {
  return is_kind(test_case, Routes::huge) && token % 2 == 0;
}

}  // namespace assay::properties::moe
