#include "properties/operations/products/flushed_terms.hpp"

#include <algorithm>
#include <cmath>

#include "reference/half.hpp"

namespace assay::properties {

FlushedTerms::FlushedTerms(std::size_t M, std::size_t N, std::size_t K, std::span<const std::uint16_t> A,
                           std::span<const std::uint16_t> W, std::span<const WeightChoice> choices) {
  const bool of_a = std::any_of(A.begin(), A.end(), reference::half_is_subnormal);
  if (!of_a && choices.empty()) return;
  changes_.resize(M * N);
  std::vector<const WeightChoice*> row(N);
  auto next = choices.begin();
  for (std::size_t k = 0; k < K; ++k) {
    std::fill(row.begin(), row.end(), nullptr);
    std::vector<std::size_t> columns;
    for (; next != choices.end() && next->index < (k + 1) * N; ++next) {
      columns.push_back(next->index - k * N);
      row[columns.back()] = &*next;
    }
    for (std::size_t m = 0; m < M; ++m) {
      const bool a_or_nothing = reference::half_is_subnormal(A[m * K + k]);
      const double a = reference::half_to_double(A[m * K + k]);
      const auto look = [&](std::size_t n) {
        const double kept = reference::half_to_double(W[k * N + n]);
        const WeightChoice as_it_is{.index = k * N + n, .low = kept, .high = kept};
        note(a, a_or_nothing, kept, row[n] != nullptr ? *row[n] : as_it_is, changes_[m * N + n]);
      };
      if (a_or_nothing) {
        for (std::size_t n = 0; n < N; ++n) look(n);
      } else {
        for (const std::size_t n : columns) look(n);
      }
    }
  }
}

void FlushedTerms::note(double a, bool a_or_nothing, double kept, const WeightChoice& w, Change& change) {
  change.any |= w.any || !std::isfinite(a) || !std::isfinite(kept);
  if (change.any) return;
  const double term = a * kept;  // of halves: exact
  double low = std::min(a * w.low, a * w.high), high = std::max(a * w.low, a * w.high);
  const double largest = std::max(std::fabs(low), std::fabs(high));
  if (a_or_nothing) low = std::min(low, 0.0), high = std::max(high, 0.0);
  // A weight that is zero of either sign is no change.
  change.or_nothing &= w.or_nothing;
  change.down += term - low;
  change.up += high - term;
  change.magnitude += largest - std::fabs(term);
}

}  // namespace assay::properties
