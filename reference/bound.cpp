#include "reference/bound.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "reference/half.hpp"

namespace assay::reference {

bool Interval::contains(double value) const {
  if (std::isnan(low) || std::isnan(high)) return std::isnan(value);
  return low <= value && value <= high;  // false for NaN
}

ForwardErrorBound::ForwardErrorBound(std::size_t K, double unit_roundoff, double further)
    : k_u_(static_cast<double>(K) * unit_roundoff + further), gamma_(k_u_ / (1.0 - k_u_)) {
  if (!(unit_roundoff >= 0.0) || !std::isfinite(unit_roundoff)) {
    throw std::invalid_argument("unit_roundoff: must be finite and not negative, is " +
                                std::to_string(unit_roundoff));
  }
}

bool ForwardErrorBound::is_void() const { return !(k_u_ < 0.25); }

double ForwardErrorBound::gamma() const {
  if (is_void()) {
    throw std::domain_error("bound: K * u = " + std::to_string(k_u_) +
                            " is not below 1/4, the forward error bound says nothing");
  }
  return gamma_;
}

Interval ForwardErrorBound::accept(double sum, double magnitude) const {
  const double g = gamma();
  if (!std::isfinite(sum)) return {sum, sum};
  double acc = g * magnitude;
  if (acc > 0.0) {
    // `sum` carries one rounding of 2^-53 |sum|, the subtraction below another of at most 2^-53 (|sum| +
    // acc); g, magnitude and their product carry a few of acc. Widen by as much, so that the set is never too
    // small.
    acc = acc * (1.0 + 0x1p-49) + std::fabs(sum) * 0x1p-52;
  }
  return {round_to_half(sum - acc), round_to_half(sum + acc)};
}

}  // namespace assay::reference
