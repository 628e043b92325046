// Metal's functions over numbers. How accurate each is Apple's Metal Shading Language Specification says,
// "Numerical Compliance": its table for precise math, and that for fast math.
#pragma once

#include "assay/reference/stored.h"

namespace assay_reference {

/// What Metal's tables grant a function: so many units in the last place, or so much in all, whichever is
/// more.
struct Accuracy {
  double ulps = 0, absolute = 0;
};

namespace detail {

/// A result of which the inputs alone allow low to high, and which the function may miss by its accuracy.
inline Number within(double value, double low, double high, Accuracy granted) {
  if (value != value) return Number::exactly(value);
  const double spread = __builtin_fmax(value - low, high - value) * (1 + kOfDoubles);
  const double magnitude = __builtin_fmax(__builtin_fabs(low), __builtin_fabs(high));
  if (!(spread < kUnknown)) return low == high ? Number::exactly(value) : Number::unknown();
  const double ulp = Accumulator::format.ulp(magnitude);
  const double error = spread + granted.ulps * ulp + granted.absolute + magnitude * kOfDoubles;
  return Number::rounded(value, error);
}

/// A function that rises, or falls, from end to end of what its argument may be.
template <class F>
Number monotone(const Number& argument, F f, Accuracy granted) {
  const Number x = argument.closed();
  if (x.is_nan()) return x;
  if (x.is_unknown()) return Number::unknown();
  if (__builtin_isinf(x.value())) return Number::exactly(f(x.value()));
  const double one = f(x.low()), other = f(x.high()), value = f(x.value());
  if (one != one || other != other)
    return value != value && one != one && other != other ? Number::exactly(value) : Number::unknown();
  return within(value, __builtin_fmin(one, other), __builtin_fmax(one, other), granted);
}

/// A function whose derivative is nowhere larger than `slope`, and which stays within -1 and 1.
template <class F>
Number waving(const Number& argument, F f, double slope, Accuracy granted) {
  const Number x = argument.closed();
  if (x.is_nan() || __builtin_isinf(x.value())) return Number::exactly(__builtin_nan(""));
  if (x.is_unknown()) return Number::unknown();
  const double value = f(x.value()), off = __builtin_fmin(x.radius() * slope, 2);
  return within(value, __builtin_fmax(value - off, -1), __builtin_fmin(value + off, 1), granted);
}

/// The largest magnitude of the argument.
inline double reach(const Number& x) { return __builtin_fabs(x.value()) + x.radius(); }

inline constexpr double kPi = 3.14159265358979323846;

/// 3 + floor(|2 x|) ulp, as fast math has it for exp and exp2.
inline Accuracy of_fast_power(const Number& x) { return {3 + __builtin_floor(2 * reach(x)), 0}; }

}  // namespace detail

inline Number exp(const Number& x) {
  return detail::monotone(
      x, [](double v) { return __builtin_exp(v); },
      ASSAY_PRECISE ? Accuracy{4, 0} : detail::of_fast_power(x));
}
inline Number exp2(const Number& x) {
  return detail::monotone(
      x, [](double v) { return __builtin_exp2(v); },
      ASSAY_PRECISE ? Accuracy{4, 0} : detail::of_fast_power(x));
}
inline Number exp10(const Number& x) {
  // Fast math: exp2(x * log2(10)), whose product is rounded.
  const double turned = 3.4 * detail::reach(x);
  [[maybe_unused]] const Accuracy fast{3 + __builtin_floor(2 * turned) + 2 * turned, 0};
  return detail::monotone(
      x, [](double v) { return __builtin_pow(10.0, v); }, ASSAY_PRECISE ? Accuracy{4, 0} : fast);
}

namespace detail {
template <class F>
Number logarithm(const Number& argument, F f, Accuracy fast, double near_one) {
  const Number x = argument.closed();
  if (x.is_unknown() || (!x.is_nan() && x.high() > 0 && x.low() <= 0 && !x.is_exact()))
    return Number::unknown();
  if (!ASSAY_PRECISE && x.high() >= 0.5 && x.low() <= 2) fast.absolute = near_one;
  return monotone(x, f, ASSAY_PRECISE ? Accuracy{4, 0} : fast);
}
}  // namespace detail

inline Number log(const Number& x) {
  return detail::logarithm(
      x, [](double v) { return __builtin_log(v); }, {3, 0}, 0x1p-21);
}
inline Number log2(const Number& x) {
  return detail::logarithm(
      x, [](double v) { return __builtin_log2(v); }, {3, 0}, 0x1p-21);
}
inline Number log10(const Number& x) {  // fast math: log2(x) * log10(2)
  return detail::logarithm(
      x, [](double v) { return __builtin_log10(v); }, {8, 0}, 0x1p-22);
}

inline Number sqrt(const Number& argument) {
  const Number x = argument.closed();
  if (!x.is_nan() && !x.is_unknown() && x.low() < 0 && x.high() >= 0 && !x.is_exact())
    return Number::unknown();
  // Fast math: x * rsqrt(x). 2 ulp just above a power of two are 4 just below another.
  return detail::monotone(
      x, [](double v) { return __builtin_sqrt(v); }, ASSAY_PRECISE ? Accuracy{} : Accuracy{5, 0});
}
inline Number rsqrt(const Number& argument) {
  const Number x = argument.closed();
  if (!x.is_nan() && !x.is_unknown() && x.low() <= 0 && x.high() >= 0 && !x.is_exact())
    return Number::unknown();
  return detail::monotone(
      x, [](double v) { return 1 / __builtin_sqrt(v); }, ASSAY_PRECISE ? Accuracy{} : Accuracy{2, 0});
}

namespace detail {
/// Fast math promises 2^-13 from -pi to pi. Who goes beyond takes a precise function or turns the argument back,
/// for which two roundings of it are allowed.
template <class F>
Number of_angle(const Number& x, F f, double slope, double turn) {
  [[maybe_unused]] Accuracy fast{0, 0x1p-13};
  if (reach(x) > turn && reach(x) < kUnknown) fast.absolute += 2 * slope * Accumulator::format.ulp(reach(x));
  return waving(x, f, slope, ASSAY_PRECISE ? Accuracy{4, 0} : fast);
}
}  // namespace detail

inline Number sin(const Number& x) {
  return detail::of_angle(
      x, [](double v) { return __builtin_sin(v); }, 1, detail::kPi);
}
inline Number cos(const Number& x) {
  return detail::of_angle(
      x, [](double v) { return __builtin_cos(v); }, 1, detail::kPi);
}
inline Number sinpi(const Number& x) {
  const auto f = [](double v) { return __builtin_sin(detail::kPi * (v - 2 * __builtin_rint(v / 2))); };
  return detail::of_angle(x, f, detail::kPi, 1);
}
inline Number cospi(const Number& x) {
  const auto f = [](double v) { return __builtin_cos(detail::kPi * (v - 2 * __builtin_rint(v / 2))); };
  return detail::of_angle(x, f, detail::kPi, 1);
}

inline Number tanh(const Number& argument) {
  const Number x = argument.closed();
  const auto f = [](double v) { return __builtin_tanh(v); };
  // Fast math: (t - 1) / (t + 1) with t = exp(2 x). t is off by 3 + |4 x| ulp and half an ulp of the product;
  // that of a t near 1 is not small beside t - 1. From |x| = 9 on the result is 1 in float whatever t is.
  const double bounded = __builtin_fmin(detail::reach(x), 9);
  [[maybe_unused]] const Accuracy fast{6, (4 + 4 * bounded) * Accumulator::format.roundoff() * 2};
  return detail::monotone(x, f, ASSAY_PRECISE ? Accuracy{5, 0} : fast);
}
inline Number sinh(const Number& argument) {
  const Number x = argument.closed();
  // Fast math: (exp(x) - exp(-x)) / 2, each off by 3 + |2 x| ulp.
  const double reach = detail::reach(x);
  [[maybe_unused]] const Accuracy fast{
      4, (4 + 2 * reach) * 2 * Accumulator::format.roundoff() * __builtin_cosh(reach)};
  return detail::monotone(
      x, [](double v) { return __builtin_sinh(v); }, ASSAY_PRECISE ? Accuracy{4, 0} : fast);
}
inline Number cosh(const Number& argument) {
  const Number x = argument.closed();
  if (x.is_nan()) return x;
  if (x.is_unknown()) return Number::unknown();
  const double low = __builtin_fmax(0, __builtin_fabs(x.value()) - x.radius()), high = detail::reach(x);
  return detail::within(__builtin_cosh(x.value()), __builtin_cosh(low), __builtin_cosh(high),
                        ASSAY_PRECISE ? Accuracy{4, 0} : Accuracy{6 + 2 * high, 0});
}
inline Number asin(const Number& x) {
  return detail::monotone(x, [](double v) { return __builtin_asin(v); }, {ASSAY_PRECISE ? 4.0 : 5.0, 0});
}
inline Number acos(const Number& x) {
  return detail::monotone(x, [](double v) { return __builtin_acos(v); }, {ASSAY_PRECISE ? 4.0 : 5.0, 0});
}
inline Number atan(const Number& x) {
  return detail::monotone(x, [](double v) { return __builtin_atan(v); }, {5, 0});
}

/// For bases above 0.
inline Number pow(const Number& base, const Number& exponent) {
  const Number x = base.closed(), y = exponent.closed();
  if (x.is_nan() || y.is_nan()) return Number::exactly(__builtin_nan(""));
  if (x.is_unknown() || y.is_unknown() || !(x.low() > 0)) return Number::unknown();
  double low = kUnknown, high = 0;
  for (int corner = 0; corner < 4; ++corner) {
    const double one = __builtin_pow(corner % 2 == 0 ? x.low() : x.high(), corner < 2 ? y.low() : y.high());
    low = __builtin_fmin(low, one);
    high = __builtin_fmax(high, one);
  }
  // Fast math: exp2(y * log2(x)). The logarithm is off by 3 ulp, or 2^-21 near 1, and y carries that into the
  // power.
  const double power = detail::reach(y) * __builtin_fmax(__builtin_fabs(__builtin_log2(x.low())),
                                                         __builtin_fabs(__builtin_log2(x.high())));
  const double off = power * 8 * Accumulator::format.roundoff() + detail::reach(y) * 0x1p-21;
  [[maybe_unused]] const Accuracy fast{3 + __builtin_floor(2 * power) + off / Accumulator::format.roundoff(),
                                       0};
  return detail::within(__builtin_pow(x.value(), y.value()), low, high,
                        ASSAY_PRECISE ? Accuracy{16, 0} : fast);
}

inline Number abs(const Number& argument) {
  const Number x = argument.closed();
  if (x.whole().is()) return x.whole() < Number(0).whole() ? -x : x;
  if (x.is_nan() || x.radius() == kUnknown) return x;
  const unsigned may_be = x.may_be();
  return Number::around(__builtin_fabs(x.value()), x.radius())
      .or_be((may_be & kNotNumber) | ((may_be & (kPlus | kMinus)) != 0 ? kPlus : kNone));
}
inline Number fabs(const Number& x) { return abs(x); }

namespace detail {
/// Of two, one of which is a NaN, the other, as Metal has it.
template <class Choose>
Number chosen(const Number& left, const Number& right, Choose choose) {
  const Number a = left.closed(), b = right.closed();
  if (a.is_nan()) return b.computed();
  if (b.is_nan()) return a.computed();
  if (a.is_unknown() || b.is_unknown()) return Number::unknown();
  const double value = choose(a.value(), b.value()), low = choose(a.low(), b.low()),
               high = choose(a.high(), b.high());
  const double spread = __builtin_fmax(value - low, high - value);
  return Number::around(value, spread == spread ? spread : 0);  // infinities are exact
}
}  // namespace detail
inline Number max(const Number& a, const Number& b) {
  if (detail::are_whole(a, b)) return a.whole() < b.whole() ? b : a;
  return detail::chosen(a, b, [](double x, double y) { return __builtin_fmax(x, y); });
}
inline Number min(const Number& a, const Number& b) {
  if (detail::are_whole(a, b)) return b.whole() < a.whole() ? b : a;
  return detail::chosen(a, b, [](double x, double y) { return __builtin_fmin(x, y); });
}
inline Number fmax(const Number& a, const Number& b) { return max(a, b); }
inline Number fmin(const Number& a, const Number& b) { return min(a, b); }
inline Number clamp(const Number& x, const Number& low, const Number& high) { return min(max(x, low), high); }

/// a * b + c: a kernel may round the product or not.
inline Number fma(const Number& a, const Number& b, const Number& c) { return a * b + c; }

inline constexpr double infinity = __builtin_huge_val();
inline const double nan_value = __builtin_nan("");

/// The sum of f(0) to f(count - 1): every order of summation is right.
template <class F>
Number sum(Index count, F f) {
  Number total;
  for (Index i = 0; i < count; ++i) total += f(i);
  return total;
}
/// The sum of f(i) * g(i).
template <class F, class G>
Number dot(Index count, F f, G g) {
  return sum(count, [&](Index i) { return Number(f(i)) * Number(g(i)); });
}
/// The largest and the least of f(0) to f(count - 1); -infinity and infinity of none.
template <class F>
Number largest(Index count, F f) {
  Number most = Number::exactly(-infinity);
  for (Index i = 0; i < count; ++i) most = max(most, f(i));
  return most;
}
template <class F>
Number least(Index count, F f) {
  Number most = Number::exactly(infinity);
  for (Index i = 0; i < count; ++i) most = min(most, f(i));
  return most;
}

}  // namespace assay_reference
