// How the weights of one group find their scale, their zero point and their codes.
//
// What a code stands for is what a kernel makes of it, the half RN16(value * scale), and the code chosen is
// the one whose half is nearest. So half a step here is half the distance between two weights the kernels can
// give, and a weight that they can give is kept exactly.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::host {

/// One group of one column. Weights are finite half values; infinities have been brought to 65504 before.
class GroupQuantizer {
 public:
  /// FP4. The scale is one with which every weight of the group is exact, where there is one: for the largest
  /// magnitude m only the scales with RN16(v * s) = m for one of the seven values v > 0 come into question.
  /// Otherwise it is the smallest half with m <= 6 s, so that nothing saturates, but never so large that 6 s
  /// overflows. A group of zeros gets scale 1.
  ///
  /// Bound: |weight(code) - w| <= (b - a) / 2 for the weights a <= |w| <= b of adjacent codes. With g the gap
  /// (0.5, 1 or 2) between their FP4 values that is at most (g s + ulp16(b)) / 2. It holds to the end of the
  /// range: m <= 6 s but for m = 65504, which is 32 from 6 s = 65472.
  static GroupQuantizer fp4(std::span<const double> group);

  /// INT4: weight RN16((n - z) * s) of code n. The zero point z is an integer 0..15: then n - z is exact in
  /// half and in float, both chains of roundings agree (docs/formats.md, "INT4"), and a weight of 0 stays 0.
  /// Fractional zero points are for weights quantized elsewhere.
  ///
  /// The scale is exact for the whole group where such a scale and zero point exist. Otherwise, with low and
  /// high the extremes of the group and 0, it is the smallest half of at least (high - low) / 15, and z is
  /// -low / s to the nearest even integer. A group of zeros gets scale 1, zero point 0.
  ///
  /// Bound: |weight(code) - w| <= (1 + 2^-6) s / 2. Rounding z moves both ends by no more than s / 2, and a
  /// weight of at most 15 s is rounded by at most 15 s 2^-11; subnormal weights are exact. Where an end code
  /// overflows, the scale grows, by less than a third, until the bound holds without it.
  static GroupQuantizer int4(std::span<const double> group);

  std::uint16_t scale() const { return scale_; }
  unsigned zero() const { return zero_; }  ///< of unsigned codes; 0 for FP4

  /// The code whose weight is nearest; a tie goes to the even code (even M in FP4). The sign of an FP4 zero
  /// is kept.
  unsigned code_of(double weight) const;

 private:
  GroupQuantizer(std::uint16_t scale, unsigned zero, bool has_sign_bit);

  bool reproduces(std::span<const double> group) const;
  bool reaches(double weight) const;

  std::uint16_t scale_;
  unsigned zero_;
  bool has_sign_bit_;               // codes 8..15 mirror 0..7, as in FP4
  std::array<double, 16> weights_;  // by code
};

/// Every positive finite half s with RN16(factor * s) = product, the nearest to product / factor first. Both
/// arguments are positive; factor is at most 15 and a multiple of 0.5.
std::vector<std::uint16_t> scales_between(double factor, double product);

}  // namespace assay::host
