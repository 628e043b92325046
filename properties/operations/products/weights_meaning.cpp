#include "properties/operations/products/weights_meaning.hpp"

#include <algorithm>
#include <utility>

#include "reference/half.hpp"

namespace assay::properties {
namespace {

constexpr const char *kNonfinite = "nonfinite_weights", *kZero = "zero";

}  // namespace

Meaning nonfinite_weights_meaning(std::vector<std::string> inputs) {
  return {.field = kNonfinite, .usual = "ieee", .word = kZero, .hides = std::move(inputs)};
}

std::vector<std::uint16_t> meant_weights(std::vector<std::uint16_t> weights, const Arithmetic& arithmetic) {
  if (!arithmetic.means(kNonfinite, kZero)) return weights;
  std::replace_if(
      weights.begin(), weights.end(), [](std::uint16_t half) { return !reference::half_is_finite(half); },
      std::uint16_t{0});
  return weights;
}

Meaning groups_meaning(std::string field, const std::vector<std::string>& tensors) {
  Meaning meaning = {.field = std::move(field), .usual = "groups x N", .word = "N x groups"};
  for (const std::string& tensor : tensors) meaning.storages.emplace(tensor, exchanged_axes());
  return meaning;
}

}  // namespace assay::properties
