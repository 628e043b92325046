// Terms of sums that subnormal factors may leave out, or change, where these are flushed to zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "properties/operations/products/weight_choices.hpp"

namespace assay::properties {

/// Of A [M, K] x W [K, N], element by element: how far a sum of the terms as they may be is from that of the
/// terms as they are.
class FlushedTerms {
 public:
  struct Change {
    double down = 0, up = 0;  ///< at most so much less, and more
    double magnitude = 0;     ///< that sum|a w| grows by
    bool or_nothing = true;   ///< each term is what it is, or zero: what was exact stays so
    bool any = false;         ///< a factor that is NaN or infinite may meet a zero, or not
  };

  FlushedTerms(std::size_t M, std::size_t N, std::size_t K, std::span<const std::uint16_t> A,
               std::span<const std::uint16_t> W, std::span<const WeightChoice> choices);

  /// Of the element at that index of the output; nothing where no subnormal has to do with it.
  const Change& at(std::size_t index) const { return changes_.empty() ? none_ : changes_[index]; }

 private:
  void note(double a, bool a_or_nothing, double kept, const WeightChoice& w, Change& change);

  std::vector<Change> changes_;
  Change none_;
};

}  // namespace assay::properties
