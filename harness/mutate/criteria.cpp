#include "harness/mutate/criteria.hpp"

#include <cmath>

#include "harness/verify/compare.hpp"

namespace assay::mutate {

Rejected rejected_by(const Tensor& output, const Expectation& expected) {
  double difference = 0, magnitude = 0, squares = 0, square_magnitude = 0;
  bool close = true, near = true;
  for (std::size_t i = 0; i < expected.value.size(); ++i) {
    const double a = assay::decode(output, i), b = expected.value[i];
    if (a == b || (std::isnan(a) && std::isnan(b))) {
      if (std::isfinite(b)) {
        magnitude += std::abs(b);
        square_magnitude += b * b;
      }
      continue;
    }
    const double apart = std::abs(a - b);
    difference += apart;
    magnitude += std::abs(b);
    squares += apart * apart;
    square_magnitude += b * b;
    close &= apart <= 1e-2 + 1e-2 * std::abs(b);
    near &= apart < 0.1 * (std::abs(a) + std::abs(b));
  }
  // Written so that NaN rejects.
  return {!(difference == 0 || difference / magnitude < 0.04),
          !(squares == 0 || squares / square_magnitude <= 5e-4), !close, !near};
}

}  // namespace assay::mutate
