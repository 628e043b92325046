// The forward error bound of a sum of products, from which the right answers of a gemm follow.
//
// For any order of summation in an accumulator of unit roundoff u, the computed sum lies within
// acc = gamma_K * sum|a w| of the exact one, gamma_K = K u / (1 - K u) (Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd ed., section 3.1; docs/operations.md, "The forward error bound"). The bound knows
// no overflow and no underflow of the accumulator, which a float32 accumulator of half products cannot have.
#pragma once

#include <cstddef>

namespace assay::reference {

inline constexpr double kFloatUnitRoundoff = 0x1p-24;
inline constexpr double kHalfUnitRoundoff = 0x1p-11;

/// Every value from low to high, ends included. Both ends NaN: NaN and nothing else.
struct Interval {
  double low = 0.0;
  double high = 0.0;

  /// False for NaN unless NaN is what is asked for. -0 equals 0.
  bool contains(double value) const;
};

struct ForwardErrorBound {
  /// Sums of K products, accumulated with unit roundoff u; u = 0 where every order gives the exact sum.
  /// With u = 0 the sums handed to accept() must be exact in double too, or RN16 would be a second rounding.
  /// Throws std::invalid_argument when u is negative or not finite.
  /// `further`: unit roundoffs of other roundings that each term passes through, added up.
  ForwardErrorBound(std::size_t K, double unit_roundoff, double further = 0.0);

  /// K u >= 1/4: gamma is no small number any more and would let everything pass. Such a bound accepts
  /// nothing.
  bool is_void() const;

  /// K u / (1 - K u). Throws std::domain_error when the bound is void.
  double gamma() const;

  /// The halves that are right for an exact sum rounded to double and the double sum of magnitudes:
  /// [RN16(sum - acc), RN16(sum + acc)]. RN16 is monotone, so these are the roundings of all reachable sums
  /// and no others. A sum that is NaN or infinite is asked for as it is. Throws std::domain_error when void.
  Interval accept(double sum, double magnitude) const;

 private:
  double k_u_;
  double gamma_;  ///< worked out once: accept() is called for each element
};

}  // namespace assay::reference
