// A number as a kernel computes it: the result in the reals, and how far from it a kernel's may be that keeps
// to the same mathematics in floating point. docs/derived_bounds.md derives each rule.
#pragma once

// How kernels compute, settled when a reference is compiled: ASSAY_HALF_SUMS, ASSAY_PRECISE, ASSAY_FLUSHED.
#ifndef ASSAY_HALF_SUMS
#define ASSAY_HALF_SUMS 0
#endif
#ifndef ASSAY_PRECISE
#define ASSAY_PRECISE 0
#endif
#ifndef ASSAY_FLUSHED
#define ASSAY_FLUSHED 0
#endif

namespace assay_reference {

using Index = long;

/// A floating-point format: bits of the significand, exponents of the least normal and of the largest number.
struct Format {
  int bits, least, most;
  constexpr double roundoff() const { return 1.0 / static_cast<double>(1L << bits); }
  double largest() const { return __builtin_ldexp(2.0 - 2 * roundoff(), most); }
  /// What rounding to the nearest adds to numbers below the least normal one; all of them, where they are
  /// flushed.
  double underflow() const { return __builtin_ldexp(1.0, ASSAY_FLUSHED ? least : least - bits); }
  /// The distance of neighbours at that magnitude.
  double ulp(double value) const {
    const double magnitude = __builtin_fabs(value);
    const int exponent = magnitude > 0 ? __builtin_ilogb(magnitude) : least;
    return __builtin_ldexp(1.0, (exponent < least ? least : exponent) - bits + 1);
  }
  /// The nearest number of the format; infinite, where that is beyond its largest.
  double nearest(double value) const {
    const double unit = ulp(value), rounded = __builtin_rint(value / unit) * unit;  // powers of two: exact
    if (__builtin_fabs(rounded) <= largest()) return rounded;
    return rounded < 0 ? -__builtin_huge_val() : __builtin_huge_val();
  }
};

struct half {
  static constexpr Format format{11, -14, 15};
};
struct bfloat {
  static constexpr Format format{8, -126, 127};
};
struct single {
  static constexpr Format format{24, -126, 127};
};
#if ASSAY_HALF_SUMS
using Accumulator = half;
#else
using Accumulator = single;
#endif

inline constexpr double kUnknown = __builtin_huge_val();
/// Of doubles, which values and radii are computed in: for each operation, with room for its own radius.
inline constexpr double kOfDoubles = 0x1p-51;

/// The exponent of the lowest bit that is set: the value is a whole multiple of 2^that.
inline int unit_of(double value) {
  if (value == 0) return 2000;
  unsigned long bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  const unsigned long fraction = (bits & 0xFFFFFFFFFFFFFul) | ((bits >> 52 & 0x7FF) != 0 ? 1ul << 52 : 0);
  const long exponent = static_cast<long>(bits >> 52 & 0x7FF);
  return static_cast<int>((exponent == 0 ? 1 : exponent) - 1075 + __builtin_ctzl(fraction));
}

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
    if (exact && spread == 0 && fits(value)) return Number(value, 0);
    if (magnitude == __builtin_huge_val()) return Number(value, spread != 0 ? kUnknown : 0);
    const double error =
        spread + (spread + magnitude) * (kFormat.roundoff() + kOfDoubles) + tiny(magnitude - spread);
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

  /// Factors of a product of exact numbers: kernels multiply them in any order.
  struct Factors {
    static constexpr int kMost = 4;
    double values[kMost] = {};
    int count = 0;  ///< 0: the number itself is one; beyond kMost: they are not known
    bool are_known() const { return count <= kMost; }
  };
  static bool is_power_of_two(double value) {
    return value != 0 && value - value == 0 && __builtin_ilogb(value) == unit_of(value);
  }
  Factors factors() const {
    Factors all = factors_;
    if (all.count == 0) all.values[all.count++] = value_;
    return all;
  }

  /// Both are exact. So is the product where it fits, and where the product of any of their factors does.
  Number times_exact(const Number& other, double value) const {
    // 0, infinite or NaN; or scaled by a power of two, which no order rounds.
    const bool plain = value == 0 || value - value != 0;
    const bool scaled = is_power_of_two(value_) || is_power_of_two(other.value_);
    Factors all = factors();
    const Factors others = other.factors();
    const int count = all.count + others.count;
    for (int i = 0; !scaled && count <= Factors::kMost && i < others.count; ++i)
      all.values[all.count + i] = others.values[i];
    all.count = count;
    bool any_order = true, finite = true;
    for (int chosen = 3; !plain && !scaled && all.are_known() && chosen < (1 << count) - 1; ++chosen) {
      if ((chosen & (chosen - 1)) == 0) continue;  // one factor alone
      double product = 1;
      for (int i = 0; i < count; ++i) {
        if ((chosen >> i & 1) == 0) continue;
        const double next = product * all.values[i];
        any_order &= __builtin_fma(product, all.values[i], -next) == 0;
        product = next;
      }
      const double magnitude = __builtin_fabs(product);
      finite &= magnitude <= Accumulator::format.largest() &&
                magnitude >= __builtin_ldexp(1.0, Accumulator::format.least);
      any_order &= fits(product);
    }
    if (!plain && !scaled && (!any_order || !all.are_known())) {
      if (!finite) return unknown();
      return rounded(value,
                     (count - 2) * __builtin_fabs(value) * (Accumulator::format.roundoff() + kOfDoubles));
    }
    Number result = rounded(value, 0, __builtin_fma(value_, other.value_, -value) == 0);
    if (!plain)
      result.factors_ = is_power_of_two(value_)         ? other.factors_
                        : is_power_of_two(other.value_) ? factors_
                                                        : all;
    return result;
  }

  static bool fits(double value) {
    constexpr Format kFormat = Accumulator::format;
    if (value == 0) return true;
    if (__builtin_fabs(value) > kFormat.largest()) return false;
    const int exponent = __builtin_ilogb(value), unit = unit_of(value);
    if (ASSAY_FLUSHED && exponent < kFormat.least) return false;
    return exponent - unit < kFormat.bits && unit > kFormat.least - kFormat.bits;
  }

  /// What underflow may add to a result of which the magnitude is at least this.
  static double tiny(double least) {
    constexpr Format kFormat = Accumulator::format;
    return least > __builtin_ldexp(1.0, kFormat.least + 1) ? 0 : kFormat.underflow();
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
  Factors factors_ = {};
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

namespace detail {
/// All that numbers from low to high may be rounded to: rounding turns no order around.
struct Ends {
  double low, high;
  Ends(const Format& format, double from, double to) : low(format.nearest(from)), high(format.nearest(to)) {
    const double normal = __builtin_ldexp(1.0, format.least);
    if (ASSAY_FLUSHED && low > 0 && low < normal) low = 0;
    if (ASSAY_FLUSHED && high < 0 && high > -normal) high = 0;
  }
  bool are_finite() const { return low - low == 0 && high - high == 0; }
};
}  // namespace detail

/// Rounded for certain to the format, as by a store to memory of that type.
template <class T>
Number stored(const Number& number) {
  const Number x = number.closed();
  if (x.is_unknown() || x.is_nan() || __builtin_isinf(x.value())) return x;
  constexpr Format kFormat = T::format;
  double low = x.low(), high = x.high();
  if (x.is_rounded_once()) {
    constexpr Format kBefore = Accumulator::format;
    low = high = x.value();
    const double others[] = {x.other_value(), kBefore.nearest(x.value()), kBefore.nearest(x.other_value())};
    for (const double one : others) {
      low = __builtin_fmin(low, one);
      high = __builtin_fmax(high, one);
    }
  }
  const detail::Ends ends(kFormat, low, high);
  if (ends.low == ends.high) return Number::exactly(ends.low);
  if (!ends.are_finite()) return Number::unknown();
  const double middle = (ends.low + ends.high) / 2;
  return Number::around(middle, __builtin_fmax(middle - ends.low, ends.high - middle) * (1 + kOfDoubles));
}

/// Rounded to the format, or not: a kernel may keep it in either.
template <class T>
Number maybe_stored(const Number& number) {
  const Number x = number.closed();
  if (x.is_unknown() || x.is_nan() || __builtin_isinf(x.value())) return x;
  const detail::Ends ends(T::format, x.low(), x.high());
  if (!ends.are_finite()) return Number::unknown();
  if (x.is_exact() && ends.low == x.value() && ends.high == x.value()) return x;
  const double off = __builtin_fmax(x.value() - ends.low, ends.high - x.value());
  return Number::around(x.value(), __builtin_fmax(x.radius(), off * (1 + kOfDoubles)));
}

}  // namespace assay_reference
