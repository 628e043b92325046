// Weights that may be one of several halves, where subnormals may be flushed to zero (docs/numerics.md,
// "Flushed").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/problem.hpp"

namespace assay::properties {

/// A weight that may be anything from low to high.
struct WeightChoice {
  std::size_t index = 0;  ///< of the weight
  double low = 0, high = 0;
  bool or_nothing = true;  ///< it is what it is where subnormals are kept, or zero
  bool any = false;        ///< NaN or infinite, or not: nothing can be said
};

/// Of all weights those that may be otherwise than `kept`, by index: `flushed` are the weights from inputs
/// that were flushed, all or some of them, and a weight that is subnormal itself may be zero.
std::vector<WeightChoice> weight_choices(std::span<const std::uint16_t> kept,
                                         const std::vector<std::vector<std::uint16_t>>& flushed);

/// Halves that are right bit for bit, but for those.
void widen(std::span<const WeightChoice> choices, Expectation& expected);

}  // namespace assay::properties
