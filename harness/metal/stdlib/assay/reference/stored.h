// Numbers that are rounded to a format: for certain, or perhaps.
#pragma once
#include "assay/reference/number.h"

namespace assay_reference {

namespace detail {
/// All that numbers from low to high may be rounded to: rounding turns no order around.
struct Ends {
  double low, high;
  Ends(const Format& format, double from, double to) : low(format.nearest(from)), high(format.nearest(to)) {
    [[maybe_unused]] const double normal = __builtin_ldexp(1.0, format.least);
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
  if (x.radius() == kUnknown || x.is_nan() || __builtin_isinf(x.value())) return x.computed();
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
  if (ends.low == ends.high) return Number::exactly(ends.low).or_be(x.may_be());
  if (!ends.are_finite()) return Number::unknown();
  const double middle = (ends.low + ends.high) / 2;
  return Number::around(middle, __builtin_fmax(middle - ends.low, ends.high - middle) * (1 + kOfDoubles))
      .or_be(x.may_be());
}

/// Rounded to the format, or not: a kernel may keep it in either.
template <class T>
Number maybe_stored(const Number& number) {
  const Number x = number.closed();
  if (x.radius() == kUnknown || x.is_nan() || __builtin_isinf(x.value())) return x.computed();
  const detail::Ends ends(T::format, x.low(), x.high());
  if (!ends.are_finite()) return Number::unknown();
  if (x.is_exact() && ends.low == x.value() && ends.high == x.value()) return x.computed();
  const double off = __builtin_fmax(x.value() - ends.low, ends.high - x.value());
  return Number::around(x.value(), __builtin_fmax(x.radius(), off * (1 + kOfDoubles))).or_be(x.may_be());
}

}  // namespace assay_reference
