// Values as models have them, so that no kernel can tell a case from what it is run on: weights and
// activations of about normal distribution, a few channels of activations far above the others, scales that
// are positive and close together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "properties/cases/declaration.hpp"
#include "properties/cases/draw.hpp"

namespace assay::properties {

/// The planned regime of such values.
inline constexpr const char* kModelLike = "model";

/// Its cases are of these sizes; judged as "random" is, by the forward error bound.
PlannedRegime model_regime(std::function<std::vector<Dims>(const Tile&)> sizes);

/// Of about normal distribution: mean 0, variance 1, |x| < 5.
double bell(const Words& words);

/// Of channel k, which is that of all tokens: one in 61 is 24 times as large.
double model_activation(const Words& words, std::size_t k);

/// 2^-7 to 2^-5, positive.
double model_scale(const Words& words);

/// One of `count` neighbouring levels, those in the middle the most often.
unsigned model_level(const Words& words, unsigned count);

}  // namespace assay::properties
