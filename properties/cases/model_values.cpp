#include "properties/cases/model_values.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace assay::properties {

PlannedRegime model_regime(std::function<std::vector<Dims>(const Tile&)> sizes) {
  return {.regime = {.name = kModelLike,
                     .about = "weights, scales and activations as models have them",
                     .knobs = {{"kind",
                                [](const Dims&, const Arithmetic&) { return 0; },
                                {"values as models have them"}}}},
          .sizes = std::move(sizes)};
}

double bell(const Words& words) {
  double sum = 0;
  for (const std::uint32_t word : words) sum += (word >> 16) * 0x1p-16 + (word & 0xFFFF) * 0x1p-16;
  return (sum - 4.0) * std::sqrt(1.5);  // eight alike from 0 to 1 have a variance of 8 / 12
}

double model_activation(const Words& words, std::size_t k) {
  return bell(words) * (k % 61 == 7 ? 24.0 : 1.0);
}

double model_scale(const Words& words) { return 0x1p-7 * (1.0 + 3.0 * (words[0] * 0x1p-32)); }

unsigned model_level(const Words& words, unsigned count) {
  const double middle = 0.5 * (count - 1);
  const double level = std::round(middle + bell(words) * middle / 2.5);
  return static_cast<unsigned>(std::clamp(level, 0.0, static_cast<double>(count - 1)));
}

}  // namespace assay::properties
