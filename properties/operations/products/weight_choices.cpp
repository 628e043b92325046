#include "properties/operations/products/weight_choices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/half.hpp"

namespace assay::properties {

std::vector<WeightChoice> weight_choices(std::span<const std::uint16_t> kept,
                                         const std::vector<std::vector<std::uint16_t>>& flushed) {
  std::vector<WeightChoice> choices;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const double weight = reference::half_to_double(kept[i]);
    WeightChoice one{.index = i, .low = weight, .high = weight};
    bool differs = reference::half_is_subnormal(kept[i]), zero = differs;
    for (const auto& weights : flushed) {
      if (weights[i] == kept[i]) continue;
      const double other = reference::half_to_double(weights[i]);
      differs = true;
      zero |= reference::half_is_subnormal(weights[i]);
      one.any |= !std::isfinite(weight) || !std::isfinite(other);
      one.or_nothing &= other == 0;
      one.low = std::min(one.low, other);
      one.high = std::max(one.high, other);
      if (weight == 0 && other == 0) one.low = -0.0, one.high = 0.0;  // a zero of either sign
    }
    if (!differs) continue;
    if (zero) {
      one.low = std::min(one.low, 0.0);
      one.high = std::max(one.high, 0.0);
    }
    choices.push_back(one);
  }
  return choices;
}

void widen(std::span<const WeightChoice> choices, Expectation& expected) {
  constexpr double kLast = std::numeric_limits<double>::infinity();
  for (const WeightChoice& one : choices) {
    expected.low[one.index] = one.any ? -kLast : one.low;
    expected.high[one.index] = one.any ? kLast : one.high;
  }
}

}  // namespace assay::properties
