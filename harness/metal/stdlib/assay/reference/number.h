// A number as a kernel computes it: the result in the reals, and how far from it a kernel's may be that keeps
// to the same mathematics in floating point. docs/derived_bounds.md derives each rule.
#pragma once
#include "assay/reference/factors.h"

namespace assay_reference {

/// Sums stay open: a chain of + and - is one sum of its terms, right in every order.
class Number {
 public:
  Number() = default;
  /// Constants and whole numbers, rounded to the accumulator as a kernel's are.
  Number(double constant) { *this = rounded(constant, 0, true); }
  Number(float constant) : Number(static_cast<double>(constant)) {}
  Number(int whole) : Number(static_cast<double>(whole)) {}
  Number(unsigned whole) : Number(static_cast<double>(whole)) {}
  Number(long whole) : Number(static_cast<double>(whole)) {}
  Number(unsigned long whole) : Number(static_cast<double>(whole)) {}
  explicit Number(bool truth) : Number(truth ? 1.0 : 0.0) {}

  /// A value that a kernel is given, or has, exactly.
  static Number exactly(double value) { return Number(value, 0); }
  /// A value that may be off by `spread` and by the accumulator's rounding, which is left out where it is
  /// `exact` and fits.
  static Number rounded(double value, double spread, bool exact = false) {
    constexpr Format kFormat = Accumulator::format;
    if (value != value) return Number(value, spread == kUnknown ? kUnknown : 0);
    if (spread == kUnknown) return Number(0, kUnknown);
    const double magnitude = __builtin_fabs(value);
    if (exact && spread == 0 && detail::fits(value)) return Number(value, 0);
    if (magnitude == __builtin_huge_val()) return Number(value, spread != 0 ? kUnknown : 0);
    const double error =
        spread + (spread + magnitude) * (kFormat.roundoff() + kOfDoubles) + detail::tiny(magnitude - spread);
    // What is beyond the largest number for certain is infinite; what may be is nobody's to say.
    const double largest = kFormat.largest() * (1 + kFormat.roundoff() / 2);
    if (magnitude - error > largest) {
      Number beyond(value < 0 ? -__builtin_huge_val() : __builtin_huge_val(), 0);
      beyond.overflowed_ = true;
      return beyond;
    }
    if (magnitude + error > largest) return Number(0, kUnknown);
    Number result(value, error);
    result.once_ = exact && spread == 0 && !ASSAY_FLUSHED;
    result.other_ = value;
    return result;
  }
  static Number unknown() { return Number(0, kUnknown); }
  /// A value that may be off by so much, all told.
  static Number around(double value, double spread) { return Number(value, spread); }

  /// In the reals, to double precision.
  double value() const { return value_; }
  /// How far from that a kernel's may be; kUnknown: nothing can be said.
  double radius() const {
    if (spread_ == kUnknown || value_ != value_ || __builtin_isinf(value_)) return spread_;
    if (terms_ <= 1) return spread_;
    constexpr double kRoundoff = Accumulator::format.roundoff();
    // Multiples of one 2^unit, and no partial sum in any order has more bits than the accumulator.
    const bool may_flush = ASSAY_FLUSHED && unit_ < Accumulator::format.least;
    if (mass_ > Accumulator::format.largest()) return kUnknown;
    if (spread_ == 0 && !may_flush && mass_ <= __builtin_ldexp(1 / kRoundoff, unit_)) return 0;
    const double own = static_cast<double>(terms_) *
                       (kOfDoubles * mass_ + (may_flush ? Accumulator::format.underflow() : 0));
    if (terms_ == 2) return spread_ + own + kRoundoff * (__builtin_fabs(value_) + spread_);
    const double steps = static_cast<double>(terms_ - 1) * kRoundoff;
    return steps >= 0.25 ? kUnknown : spread_ + own + steps / (1 - steps) * mass_;
  }
  double low() const { return value_ - radius(); }
  double high() const { return value_ + radius(); }
  bool is_unknown() const { return radius() == kUnknown; }
  bool is_nan() const { return value_ != value_; }
  bool is_exact() const { return radius() == 0; }
  /// An operation on exact numbers, or a product of such and a term: a kernel has value() or other_value(),
  /// both of them without error here, or one of them rounded to the accumulator, and nothing between.
  bool is_rounded_once() const { return once_; }
  double other_value() const { return other_; }

  /// The same as one term: what follows rounds it as a whole.
  Number closed() const {
    if (terms_ <= 1) return *this;
    const double radius_of_all = radius();
    if (radius_of_all == kUnknown) return unknown();
    Number all(value_, radius_of_all);
    all.once_ = once_;
    all.other_ = other_;
    all.overflowed_ = overflowed_;
    return all;
  }

  friend Number operator+(const Number& a, const Number& b) { return a.joined(b, 1); }
  friend Number operator-(const Number& a, const Number& b) { return a.joined(b, -1); }
  friend Number operator-(const Number& a) { return Number().joined(a, -1); }
  friend Number operator+(const Number& a) { return a; }
  friend Number operator*(const Number& left, const Number& right) {
    const Number a = left.closed(), b = right.closed();
    const double value = a.value_ * b.value_;
    if (a.spread_ == 0 && b.spread_ == 0) return a.times_exact(b, value);
    if (a.spread_ == kUnknown || b.spread_ == kUnknown)
      return a.is_nan() || b.is_nan() ? exactly(__builtin_nan("")) : unknown();
    if (value != value || __builtin_isinf(value)) return of_infinity(a, b, value);
    if ((a.value_ == 0 && a.spread_ == 0) || (b.value_ == 0 && b.spread_ == 0)) return exactly(value);
    return rounded(value, __builtin_fabs(a.value_) * b.spread_ + __builtin_fabs(b.value_) * a.spread_ +
                              a.spread_ * b.spread_);
  }
  friend Number operator/(const Number& left, const Number& right);

  Number& operator+=(const Number& other) { return *this = *this + other; }
  Number& operator-=(const Number& other) { return *this = *this - other; }
  Number& operator*=(const Number& other) { return *this = *this * other; }
  Number& operator/=(const Number& other) { return *this = *this / other; }

 private:
  Number(double value, double spread)
      : value_(value),
        spread_(spread),
        mass_(__builtin_fabs(value) + spread),
        terms_(1),
        unit_(unit_of(value)) {}

  /// Of a number that is no product, itself.
  detail::Factors factors() const { return factors_.are_none() ? detail::Factors(value_) : factors_; }

  /// Both are exact. So is the product where it fits, and where the product of any of their factors does.
  Number times_exact(const Number& other, double value) const {
    // 0, infinite or NaN; or scaled by a power of two, which no order rounds.
    const bool plain = value == 0 || value - value != 0;
    const bool scales = detail::is_power_of_two(value_), scaled = detail::is_power_of_two(other.value_);
    const detail::Factors all = factors().with(other.factors());
    if (!plain && !scales && !scaled) {
      const auto orders = all.orders();
      if (!orders.exact || !all.are_known()) {
        if (!orders.finite) return unknown();
        const double each = __builtin_fabs(value) * (Accumulator::format.roundoff() + kOfDoubles);
        return rounded(value, (all.count() - 2) * each);
      }
    }
    Number result = rounded(value, 0, __builtin_fma(value_, other.value_, -value) == 0);
    if (!plain) result.factors_ = scales ? other.factors_ : scaled ? factors_ : all;
    return result;
  }

  /// A product or quotient that came out infinite or NaN while a factor is not exact.
  static Number of_infinity(const Number& a, const Number& b, double value) {
    if (a.is_nan() || b.is_nan()) return exactly(__builtin_nan(""));
    const auto away_from_zero = [](const Number& one) { return __builtin_fabs(one.value_) > one.spread_; };
    return value == value && away_from_zero(a) && away_from_zero(b) ? exactly(value) : unknown();
  }

  /// A term that no addition is rounded for.
  bool is_nothing() const { return !ASSAY_FLUSHED && terms_ == 1 && value_ == 0 && spread_ == 0; }

  Number joined(const Number& other, int sign) const {
    if (terms_ > 0 && other.is_nothing()) return *this;
    if (is_nothing()) return Number().joined(other, sign);
    Number sum;
    sum.value_ = sign > 0 ? value_ + other.value_ : value_ - other.value_;
    sum.spread_ = spread_ + other.spread_;
    sum.mass_ = mass_ + other.mass_;
    sum.terms_ = terms_ + other.terms_;
    sum.unit_ = unit_ < other.unit_ ? unit_ : other.unit_;
    if (terms_ == 0 && sign < 0) sum.value_ = -other.value_;
    if (terms_ == 0) {
      sum.once_ = other.once_;
      sum.other_ = sign > 0 ? other.other_ : -other.other_;
    } else if (terms_ == 1 && other.terms_ == 1) {
      sum.settle_once(*this, other, sign);
    }
    sum.overflowed_ = overflowed_ || other.overflowed_;
    // A product that is beyond the largest number is infinite where it is rounded, and finite where it is
    // contracted into the sum: terms of the other sign may bring it back, and beside an infinity it is NaN or
    // that infinity.
    const double others = sign > 0 ? other.value_ : -other.value_;
    if (!is_nan() && !other.is_nan() &&
        ((overflowed_ && is_against(others, other.mass_, value_)) ||
         (other.overflowed_ && is_against(value_, mass_, others)))) {
      sum.value_ = 0;
      sum.spread_ = kUnknown;
    }
    sum.settle_overflow();
    if (sum.value_ != sum.value_ && sum.spread_ == kUnknown && (is_nan() || other.is_nan())) sum.spread_ = 0;
    return sum;
  }

  /// A sum of terms of one sign that is beyond the largest number for certain is infinite in every order.
  void settle_overflow() {
    constexpr Format kFormat = Accumulator::format;
    const double magnitude = __builtin_fabs(value_);
    const bool one_sign = magnitude + spread_ == mass_;
    const double steps = static_cast<double>(terms_) * (kFormat.roundoff() + kOfDoubles);
    if (__builtin_isinf(value_) || !one_sign || !(magnitude - spread_ - steps * mass_ > kFormat.largest()))
      return;
    value_ = value_ < 0 ? -__builtin_huge_val() : __builtin_huge_val();
    spread_ = 0;
    overflowed_ = true;
  }

  /// Whether a sum of this value has terms of another sign than an infinite one, or is not exact.
  static bool is_against(double value, double mass, double infinite) {
    if (__builtin_isinf(value)) return value != infinite;
    return infinite > 0 ? mass - value > 0 : mass + value > 0;
  }

  /// Of a sum of two terms: whether it is known what a kernel has before it rounds. One of the terms may be a
  /// product that is rounded, or not, where the sum is contracted.
  void settle_once(const Number& a, const Number& b, int sign) {
    if (ASSAY_FLUSHED || (a.spread_ != 0 && b.spread_ != 0)) return;
    if ((a.spread_ != 0 && !a.has_one_value()) || (b.spread_ != 0 && !b.has_one_value())) return;
    const double of_a = a.spread_ != 0 ? Accumulator::format.nearest(a.value_) : a.value_;
    const double of_b = (b.spread_ != 0 ? Accumulator::format.nearest(b.value_) : b.value_) * sign;
    other_ = of_a + of_b;
    once_ = is_exact_sum(a.value_, b.value_ * sign, value_) && is_exact_sum(of_a, of_b, other_);
  }
  bool has_one_value() const { return once_ && other_ == value_; }
  /// Whether nothing of a sum was lost in double, by the error of an addition as D. Knuth derives it (The Art
  /// of Computer Programming, volume 2, "Accuracy of Floating Point Arithmetic").
  static bool is_exact_sum(double a, double b, double sum) {
    const double of_b = sum - a, of_a = sum - of_b;
    return (a - of_a) + (b - of_b) == 0;
  }

  double value_ = 0, spread_ = 0, mass_ = 0;
  unsigned long terms_ = 0;
  int unit_ = 2000;
  bool once_ = false;
  double other_ = 0;
  detail::Factors factors_;
  bool overflowed_ = false;  ///< infinite, and what it was rounded from, or a term of it, is finite
};

inline Number operator/(const Number& left, const Number& right) {
  const Number a = left.closed(), b = right.closed();
  if (a.is_nan() || b.is_nan()) return Number::exactly(__builtin_nan(""));
  if (a.spread_ == kUnknown || b.spread_ == kUnknown) return Number::unknown();
  const double value = a.value_ / b.value_;
  const double least = __builtin_fabs(b.value_) - b.spread_;
  if (b.spread_ > 0 && !(least > 0)) return Number::unknown();
  if (value != value || __builtin_isinf(value))
    return a.spread_ == 0 || value == value ? Number::exactly(value) : Number::unknown();
  const bool both_exact = a.spread_ == 0 && b.spread_ == 0;
  double spread = both_exact ? 0 : (a.spread_ + __builtin_fabs(value) * b.spread_) / least;
#if ASSAY_PRECISE || ASSAY_HALF_SUMS
  return Number::rounded(value, spread, both_exact && __builtin_fma(value, b.value_, -a.value_) == 0);
#else
  // Fast math: 2.5 ulp for divisors from 2^-126 to 2^126, and nothing is said of others.
  if (least < 0x1p-126 || __builtin_fabs(b.value_) + b.spread_ > 0x1p126) return Number::unknown();
  spread += 2.5 * Accumulator::format.ulp(__builtin_fabs(value) + spread);
  return Number::rounded(value, spread);
#endif
}

}  // namespace assay_reference
