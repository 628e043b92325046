#include "harness/verify/error_shares.hpp"

#include <algorithm>
#include <cmath>

namespace assay {

void ErrorShares::add(double got, double value, double low, double high) {
  ++elements;
  if (low == high) {
    ++single;
    return;
  }
  if (!std::isfinite(low) || !std::isfinite(high) || !std::isfinite(got) || std::isnan(value)) {
    ++open;
    return;
  }
  // The exact result may lie outside, where no value of the type is that near to it.
  const double exact = std::clamp(value, low, high);
  const double off = std::abs(got - exact), allowed = got < exact ? exact - low : high - exact;
  const double share = off == 0 ? 0 : std::clamp(off / allowed, 0.0, 1.0);
  ++bins[std::min(static_cast<std::size_t>(share * kBins), kBins - 1)];
  worst = std::max(worst, share);
}

void ErrorShares::merge(const ErrorShares& other) {
  if (other.shared() > 0 && (shared() == 0 || other.worst > worst)) {
    worst = other.worst;
    worst_tensor = other.worst_tensor;
  }
  elements += other.elements;
  single += other.single;
  open += other.open;
  for (std::size_t i = 0; i < kBins; ++i) bins[i] += other.bins[i];
}

}  // namespace assay
