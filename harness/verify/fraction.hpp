// Exact fractions of 64-bit integers, for the formulas of manifests.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace assay {

/// numerator / denominator in lowest terms, denominator positive.
struct Fraction {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
  bool operator==(const Fraction&) const = default;
};

namespace fractions {

/// Room for products of two 64-bit values.
__extension__ typedef __int128 Wide;

/// Lowest terms; nothing where they do not fit in 64 bits. Products of two 64-bit values fit in 127 bits, and
/// so does the sum of two such products: only the reduced result has to be checked.
inline std::optional<Fraction> reduce(Wide numerator, Wide denominator) {
  if (denominator < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  Wide a = numerator < 0 ? -numerator : numerator;
  Wide b = denominator;
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  if (a > 1) {
    numerator /= a;
    denominator /= a;
  }
  constexpr Wide kMax = std::numeric_limits<std::int64_t>::max();
  if (numerator > kMax || numerator < -kMax || denominator > kMax) return std::nullopt;
  return Fraction{static_cast<std::int64_t>(numerator), static_cast<std::int64_t>(denominator)};
}

/// Largest whole number that is not above `x`.
inline std::int64_t floor_of(const Fraction& x) {
  const std::int64_t quotient = x.numerator / x.denominator;
  return quotient - (x.numerator % x.denominator < 0 ? 1 : 0);
}

inline bool less(const Fraction& a, const Fraction& b) {
  return Wide{a.numerator} * b.denominator < Wide{b.numerator} * a.denominator;
}

}  // namespace fractions
}  // namespace assay
