// Scale, zero point and codes of one group of packed 4-bit weights (docs/formats.md, "FP4" and "INT4").
//
// A few scales are tried, and the one whose codes err least is taken, by the sum of squares; of two alike the
// one that was tried first. What a code stands for is the half that a kernel makes of it, so no other code of
// that scale is nearer to any weight.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "golden/model/levels.hpp"

namespace assay::golden {

enum class PackedFormat { fp4, u4, s4 };

struct FittedGroup {
  std::uint16_t scale = 0;  ///< a positive finite half
  unsigned zero = 0;        ///< the stored code that stands for 0; 0 for FP4
};

/// Fits groups one after the other, in memory that is used again.
///
/// FP4: scales amax / d, rounded to half, for d = 6, which takes the largest magnitude to the largest code,
/// and from 4 to 8 around it. No scale is above 10,912: 6 times a larger one is infinite as a half. U4: with
/// low and high the extremes of the group and 0, scales r (high - low) / 15 for r from 1 down to 0.8, and as
/// zero point the whole number from 0 to 15 that is nearest to -r low / scale. S4: the same, and scales amax
/// / d for d from 7 to 10 with 0 as zero point.
///
/// A group of zeros has scale 1, and codes of 0. A scale that would round to 0 is the least half, 2^-24.
/// Weights beyond 65,504 count as that: they get the code whose weight is the largest finite one.
class GroupFit {
 public:
  explicit GroupFit(PackedFormat format) : format_(format) {}

  /// Finite weights of a group, at least one. `codes` has as many elements.
  FittedGroup fit(std::span<const float> weights, std::span<std::uint8_t> codes);

  /// The weight that a code of that group stands for.
  double weight(const FittedGroup& group, unsigned code) const;

 private:
  void fit_fp4(double largest);
  void fit_int4(std::span<const float> weights, double low, double high);
  void try_fp4(double scale);
  void try_int4(std::span<const float> weights, double scale, double zero);
  template <std::size_t N>
  void try_levels(const FittedGroup& group, const Levels<float, N>& levels, std::span<const float> weights);

  PackedFormat format_;
  std::vector<float> clamped_, magnitudes_;
  std::vector<std::uint8_t> tried_, best_codes_;
  FittedGroup best_;
  double least_ = 0;
};

}  // namespace assay::golden
