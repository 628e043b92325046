// A number as a kernel computes it: the result in the reals, and how far from it a kernel's may be that keeps
// to the same mathematics in floating point. docs/derived_bounds.md derives each rule.
#pragma once
#include "assay/reference/factors.h"
#include "assay/reference/whole.h"

namespace assay_reference {

/// What a kernel may have in place of a number, where a product or sum overflows in some orders and not in
/// others: bits of infinity, -infinity and NaN.
inline constexpr unsigned kNone = 0, kPlus = 1, kMinus = 2, kNotNumber = 4;

namespace detail {
inline unsigned special_of(double infinite) { return infinite > 0 ? kPlus : kMinus; }
inline unsigned turned(unsigned specials) {
  return (specials & kNotNumber) | ((specials & kPlus) != 0 ? kMinus : 0) |
         ((specials & kMinus) != 0 ? kPlus : 0);
}
}  // namespace detail

/// Sums stay open: a chain of + and - is one sum of its terms, right in every order.
class Number {
 public:
  Number() = default;
  /// Constants and whole numbers, rounded to the accumulator as a kernel's are. Those that are whole remain
  /// so beside that: a kernel may have computed in integers.
  Number(double constant) {
    *this = rounded(constant, 0, true);
    if (detail::fits(constant)) whole_ = detail::Whole::of(constant);
  }
  Number(float constant) : Number(static_cast<double>(constant)) {}
  Number(int whole) : Number(static_cast<long>(whole)) {}
  Number(unsigned whole) : Number(static_cast<long>(whole)) {}
  Number(long whole) {
    *this = rounded(static_cast<double>(whole), 0, true);
    whole_ = detail::Whole(whole);
  }
  Number(unsigned long whole) {
    *this = rounded(static_cast<double>(whole), 0, true);
    whole_ = detail::Whole(whole);
  }
  explicit Number(bool truth) : Number(truth ? 1L : 0L) {}

  /// A value that a kernel is given, or has, exactly.
  static Number exactly(double value) { return Number(value, 0); }
  /// An element of a tensor: where nothing is computed with it, it is copied, with the sign of its zero.
  static Number given(double value) {
    Number element = exactly(value);
    element.copied_ = true;
    return element;
  }
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
    // What is beyond the largest number for certain is infinite.
    const double largest = kFormat.largest() * (1 + kFormat.roundoff() / 2);
    if (magnitude - error > largest) {
      Number beyond(value < 0 ? -__builtin_huge_val() : __builtin_huge_val(), 0);
      beyond.overflowed_ = true;
      return beyond;
    }
    Number result(value, error);
    if (value + error > largest) result.may_ |= kPlus;
    if (value - error < -largest) result.may_ |= kMinus;
    result.overflowed_ = result.may_ != kNone;
    result.once_ = exact && spread == 0 && !ASSAY_FLUSHED && result.may_ == kNone;
    result.other_ = value;
    return result;
  }
  static Number unknown() { return Number(0, kUnknown); }
  /// A value that may be off by so much, all told.
  static Number around(double value, double spread) { return Number(value, spread); }

  /// In the reals, to double precision.
  double value() const { return closed().value_; }
  /// How far from that a kernel's may be, if it is a number; kUnknown: nothing can be said.
  double radius() const { return terms_ <= 1 ? spread_ : settled().spread_; }
  double low() const {
    const Number x = closed();
    return x.value_ - x.spread_;
  }
  double high() const {
    const Number x = closed();
    return x.value_ + x.spread_;
  }
  /// Whether nothing can be said, or a kernel may have something else than a number from low() to high().
  bool is_unknown() const {
    const Number x = closed();
    return x.spread_ == kUnknown || x.may_ != kNone;
  }
  bool is_nan() const { return value_ != value_; }
  bool is_exact() const {
    const Number x = closed();
    return x.spread_ == 0 && x.may_ == kNone;
  }
  /// What a kernel may have instead: kPlus, kMinus, kNotNumber. Of a number that is closed().
  unsigned may_be() const { return may_; }
  Number or_be(unsigned specials) const {
    Number more = *this;
    more.may_ |= specials;
    more.overflowed_ |= specials != kNone;
    return more;
  }
  /// Whether a step on the way was more than the accumulator holds.
  bool has_overflowed() const { return overflowed_ || may_ != kNone; }
  /// An operation on exact numbers, or a product of such and a term: a kernel has value() or other_value(),
  /// both of them without error here, or one of them rounded to the accumulator, and nothing between.
  bool is_rounded_once() const { return once_; }
  double other_value() const { return other_; }

  /// A whole number made of whole numbers: what a kernel has that computes it in integers.
  const detail::Whole& whole() const { return whole_; }
  bool is_copied() const { return copied_; }
  /// The same as a floating-point number, of which nobody says that it is copied.
  Number computed() const {
    Number same = *this;
    same.copied_ = false;
    same.whole_ = detail::Whole::none();
    return same;
  }

  /// The same as one term: what follows rounds it as a whole.
  Number closed() const { return terms_ <= 1 ? *this : settled(); }

  friend Number operator+(const Number& a, const Number& b) { return a.joined(b, 1); }
  friend Number operator-(const Number& a, const Number& b) { return a.joined(b, -1); }
  friend Number operator-(const Number& a) { return a.negated(); }
  friend Number operator+(const Number& a) { return a; }
  friend Number operator*(const Number& left, const Number& right) {
    Number product = left.closed().times(right.closed());
    product.whole_ = left.whole_ * right.whole_;
    return product;
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
        mass_(__builtin_isfinite(value) ? __builtin_fabs(value) + spread : 0),
        above_(__builtin_isfinite(value) ? __builtin_fmax(value + spread, 0) : 0),
        below_(__builtin_isfinite(value) ? __builtin_fmax(spread - value, 0) : 0),
        terms_(1),
        unit_(unit_of(value)),
        whole_(detail::Whole::none()) {}

  /// Of a number that is no product, itself.
  detail::Factors factors() const {
    return factors_.are_none() ? detail::Factors(before_rounding()) : factors_;
  }
  /// The product of those factors that are more than 1: no other product of some is larger.
  double most() const { return most_ != 0 ? most_ : __builtin_fmax(1, __builtin_fabs(value_) + spread_); }
  /// The product of those that are less: no other product of some is smaller.
  double least() const {
    if (least_ != 0) return least_;
    const double magnitude = __builtin_fabs(before_rounding());
    return magnitude > 0 && magnitude < 1 ? magnitude : 1;
  }
  /// What a product is that is infinite only where it is rounded.
  double before_rounding() const { return beyond_ != 0 ? beyond_ : value_; }
  double above() const { return __builtin_fmax(beyond_, above_); }
  double below() const { return __builtin_fmax(-beyond_, below_); }
  int lowest() const { return beyond_ != 0 ? unit_of(beyond_) : unit_; }

  /// Both are closed.
  Number times(const Number& b) const {
    if (is_nan() || b.is_nan()) return exactly(__builtin_nan(""));
    if (spread_ == kUnknown || b.spread_ == kUnknown) return unknown();
    const double one = before_rounding(), other = b.before_rounding(), value = one * other;
    Number product = value != value || __builtin_isinf(one) || __builtin_isinf(other)
                         ? of_infinity(*this, b, value)
                         : times_finite(b, one, other, value);
    product.may_ |= infinite_times(may_, b) | infinite_times(b.may_, *this);
    product.overflowed_ |= overflowed_ || b.overflowed_;
    return product;
  }

  /// Kernels multiply factors in any order, and some of those products may be more than there is.
  Number times_finite(const Number& b, double one, double other, double value) const {
    const double most_of_all = __builtin_fmin(most() * b.most(), 0x1p1023);
    const bool may_overflow = most_of_all > Accumulator::format.largest();
    const double own =
        spread_ == 0 && b.spread_ == 0
            ? 0
            : __builtin_fabs(one) * b.spread_ + __builtin_fabs(other) * spread_ + spread_ * b.spread_;
    const bool is_zero = (one == 0 && spread_ == 0) || (other == 0 && b.spread_ == 0);
    Number product = is_zero                          ? exactly(value)
                     : spread_ == 0 && b.spread_ == 0 ? times_exact(b, one, other, value)
                                                      : rounded(value, own);
    product.most_ = most_of_all;
    if (__builtin_isinf(product.value_)) {
      product.beyond_ = __builtin_isinf(value) ? __builtin_copysign(0x1p1023, value) : value;
    } else if (may_overflow && product.spread_ != kUnknown) {
      const bool may_be_zero = __builtin_fabs(value) <= product.spread_;
      if (!is_zero) product.may_ |= detail::special_of(value);
      if (!is_zero && may_be_zero) product.may_ |= kPlus | kMinus;
      if (may_be_zero) product.may_ |= kNotNumber;
      product.once_ = false;
      product.overflowed_ = true;
    }
    return product;
  }

  /// Both are exact. So is the product where it fits, and where the product of any of their factors does.
  Number times_exact(const Number& b, double one, double other, double value) const {
    // What some of the factors come to may be below the normal numbers, and the product not.
    const double least_of_all = least() * b.least();
    const bool may_underflow = least_of_all < __builtin_ldexp(1.0, Accumulator::format.least) &&
                               least_of_all < __builtin_fabs(value);
    // Scaled by a power of two, which no order rounds.
    const bool scales = detail::is_power_of_two(one), scaled = detail::is_power_of_two(other);
    if (may_underflow && (scaled_ || b.scaled_)) return unknown();
    if ((scales || scaled) && !may_underflow) {
      Number result = rounded(value, 0, true);
      result.factors_ = scales ? b.factors_ : factors_;
      result.scaled_ = true;
      result.least_ = least_of_all;
      return result;
    }
    const detail::Factors all = factors().with(b.factors());
    const auto orders = all.orders();
    if (!orders.exact || !all.are_known()) {
      if (!orders.normal || may_underflow) return unknown();
      const double each = __builtin_fabs(value) * (Accumulator::format.roundoff() + kOfDoubles);
      return rounded(value, (all.count() - 2) * each);
    }
    Number result = rounded(value, 0, __builtin_fma(one, other, -value) == 0);
    result.factors_ = all;
    result.scaled_ = scaled_ || b.scaled_;
    result.least_ = least_of_all;
    return result;
  }

  /// A product of an infinity.
  static Number of_infinity(const Number& a, const Number& b, double value) {
    if (a.spread_ == 0 && b.spread_ == 0) return exactly(value);
    const auto away_from_zero = [](const Number& one) { return __builtin_fabs(one.value_) > one.spread_; };
    return value == value && away_from_zero(a) && away_from_zero(b) ? exactly(value) : unknown();
  }

  /// What an infinity, or NaN, that a factor may be makes of the product.
  static unsigned infinite_times(unsigned specials, const Number& b) {
    if (specials == kNone) return kNone;
    const bool above = b.value_ + b.spread_ > 0 || (b.may_ & kPlus) != 0;
    const bool below = b.value_ - b.spread_ < 0 || (b.may_ & kMinus) != 0;
    const bool zero = __builtin_fabs(b.value_) <= b.spread_;
    unsigned found = specials & kNotNumber;
    if ((specials & (kPlus | kMinus)) == 0) return found;
    if (above) found |= specials & (kPlus | kMinus);
    if (below) found |= detail::turned(specials & (kPlus | kMinus));
    return zero ? found | kNotNumber : found;
  }

  /// A term that no addition is rounded for.
  bool is_nothing() const {
    return !ASSAY_FLUSHED && terms_ == 1 && value_ == 0 && spread_ == 0 && may_ == kNone;
  }

  Number negated() const {
    Number turned = *this;
    turned.value_ = -value_;
    turned.other_ = -other_;
    turned.beyond_ = -beyond_;
    turned.above_ = below_;
    turned.below_ = above_;
    turned.may_ = detail::turned(may_);
    turned.whole_ = -whole_;
    turned.factors_ = {};
    turned.copied_ = false;
    return turned;
  }

  Number joined(const Number& other, int sign) const {
    const detail::Whole whole = sign > 0 ? whole_ + other.whole_ : whole_ - other.whole_;
    if (terms_ == 0 || is_nothing() || other.is_nothing()) {
      const bool other_alone = terms_ == 0 || is_nothing();
      Number alone = !other_alone ? *this : sign > 0 ? other : other.negated();
      alone.whole_ = whole;
      alone.copied_ = false;
      return alone;
    }
    Number sum;
    // A product that is beyond the largest number is infinite where it is rounded, and finite where it is
    // contracted into the sum: terms of the other sign may bring it back.
    const double one = before_rounding(), more = other.before_rounding();
    sum.value_ = sign > 0 ? one + more : one - more;
    sum.spread_ = spread_ + other.spread_;
    sum.mass_ = mass_ + other.mass_ + __builtin_fabs(beyond_) + __builtin_fabs(other.beyond_);
    sum.above_ = above() + (sign > 0 ? other.above() : other.below());
    sum.below_ = below() + (sign > 0 ? other.below() : other.above());
    sum.terms_ = terms_ + other.terms_;
    sum.unit_ = lowest() < other.lowest() ? lowest() : other.lowest();
    sum.may_ = may_ | (sign > 0 ? other.may_ : detail::turned(other.may_));
    if (beyond_ != 0) sum.may_ |= detail::special_of(beyond_);
    if (other.beyond_ != 0) sum.may_ |= detail::special_of(sign > 0 ? other.beyond_ : -other.beyond_);
    sum.overflowed_ = overflowed_ || other.overflowed_;
    sum.whole_ = whole;
    if (terms_ == 1 && other.terms_ == 1) sum.settle_once(*this, other, sign);
    if (sum.value_ != sum.value_ && sum.spread_ == kUnknown && (is_nan() || other.is_nan())) sum.spread_ = 0;
    return sum;
  }

  /// A sum of several terms as one number. Each order adds up some terms before others, so what those of one
  /// sign add up to at most is what it may come to on the way.
  Number settled() const {
    constexpr double kRoundoff = Accumulator::format.roundoff();
    const double largest = Accumulator::format.largest();
    if (is_nan() || spread_ == kUnknown) return Number(value_, is_nan() ? 0 : kUnknown);
    const double slack = 1 + static_cast<double>(terms_) * (kRoundoff + kOfDoubles);
    unsigned specials = may_;
    Number all;
    if (__builtin_isinf(value_)) {  // others are finite
      all = exactly(value_);
      const unsigned against = detail::special_of(-value_);
      const double opposed = value_ > 0 ? below_ : above_;
      specials =
          (may_ & kNotNumber) | (opposed * slack > largest || (may_ & against) != 0 ? kNotNumber : kNone);
    } else {
      const double error = error_of_sum();
      if (error == kUnknown) return unknown();
      if (above_ * slack > largest) specials |= kPlus;
      if (below_ * slack > largest) specials |= kMinus;
      if ((specials & kPlus) != 0 && (specials & kMinus) != 0) specials |= kNotNumber;
      all = Number(value_, error);
      if (__builtin_fabs(value_) - error > largest * (1 + kRoundoff / 2)) {
        all = exactly(value_ < 0 ? -__builtin_huge_val() : __builtin_huge_val());
        specials &= ~detail::special_of(value_);
        all.overflowed_ = true;
      }
    }
    all.may_ = specials;
    all.once_ = once_ && specials == kNone;
    all.other_ = other_;
    all.overflowed_ |= overflowed_ || specials != kNone;
    all.whole_ = whole_;
    return all;
  }

  double error_of_sum() const {
    constexpr double kRoundoff = Accumulator::format.roundoff();
    // Multiples of one 2^unit, and no partial sum in any order has more bits than the accumulator.
    const bool may_flush = ASSAY_FLUSHED && unit_ < Accumulator::format.least;
    if (spread_ == 0 && !may_flush && mass_ <= __builtin_ldexp(1 / kRoundoff, unit_)) return 0;
    const double own = static_cast<double>(terms_) *
                       (kOfDoubles * mass_ + (may_flush ? Accumulator::format.underflow() : 0));
    if (terms_ == 2) return spread_ + own + kRoundoff * (__builtin_fabs(value_) + spread_);
    const double steps = static_cast<double>(terms_ - 1) * kRoundoff;
    return steps >= 0.25 ? kUnknown : spread_ + own + steps / (1 - steps) * mass_;
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

  double value_ = 0, spread_ = 0;
  double mass_ = 0;               ///< of what is finite
  double above_ = 0, below_ = 0;  ///< what terms above 0 come to at most, and those below it
  unsigned long terms_ = 0;
  int unit_ = 2000;
  bool once_ = false;
  double other_ = 0;
  detail::Factors factors_;
  double most_ = 0, least_ = 0;  ///< of a product, most() and least(); 0: of no product
  bool scaled_ = false;          ///< a product of which factors_ lacks some powers of two
  double beyond_ = 0;            ///< of a product that is infinite, and finite before it is rounded: that
  unsigned may_ = kNone;         ///< kPlus, kMinus, kNotNumber
  bool overflowed_ = false;      ///< it, or a step on the way to it
  bool copied_ = false;          ///< an element of a tensor as it is
  detail::Whole whole_;
};

namespace detail {
inline bool are_whole(const Number& a, const Number& b) { return a.whole().is() && b.whole().is(); }
}  // namespace detail

inline Number operator/(const Number& left, const Number& right) {
  const Number a = left.closed(), b = right.closed();
  if (a.is_nan() || b.is_nan()) return Number::exactly(__builtin_nan(""));
  if (a.is_unknown() || b.is_unknown()) return Number::unknown();
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
