// Comparisons of numbers. Where a kernel's may go either way, the reference goes both ways, one after the
// other, and what it assigns on each is right.
#pragma once

#include "assay/reference/functions.h"

extern "C" {
/// Which of `count` ways to go, 0 to count - 1: each in turn, as the innermost explore() is run again.
unsigned assay_reference_choose(unsigned count);
/// Around a piece of reference whose choices are explored together.
void assay_reference_begin();
bool assay_reference_again();
/// Nothing can be said of what is assigned on this way from here on.
void assay_reference_cannot_say();
}

namespace assay_reference {

/// Runs `body` for each combination of the choices in it. It may change nothing outside but outputs.
template <class Body>
void explore(Body body) {
  assay_reference_begin();
  do body();
  while (assay_reference_again());
}

/// body(0) to body(count - 1), of which none changes what another reads: the choices of each are explored by
/// themselves.
template <class Body>
void each(Index count, Body body) {
  for (Index i = 0; i < count; ++i) explore([&] { body(i); });
}

inline bool operator<(const Number& left, const Number& right) {
  if (detail::are_whole(left, right)) return left.whole() < right.whole();
  const Number a = left.closed(), b = right.closed();
  if (a.is_nan() || b.is_nan()) return false;
  if (!a.is_unknown() && !b.is_unknown()) {
    if (a.high() < b.low()) return true;
    if (a.low() >= b.high()) return false;
  }
  return assay_reference_choose(2) == 1;
}
inline bool operator>(const Number& a, const Number& b) { return b < a; }
inline bool operator<=(const Number& left, const Number& right) {
  if (detail::are_whole(left, right)) return !(right.whole() < left.whole());
  const Number a = left.closed(), b = right.closed();
  if (a.is_nan() || b.is_nan()) return false;
  if (!a.is_unknown() && !b.is_unknown()) {
    if (a.high() <= b.low()) return true;
    if (a.low() > b.high()) return false;
  }
  return assay_reference_choose(2) == 0;
}
inline bool operator>=(const Number& a, const Number& b) { return b <= a; }
inline bool operator==(const Number& left, const Number& right) {
  if (detail::are_whole(left, right))
    return !(left.whole() < right.whole()) && !(right.whole() < left.whole());
  const Number a = left.closed(), b = right.closed();
  if (a.is_nan() || b.is_nan()) return false;
  if (a.is_exact() && b.is_exact()) return a.value() == b.value();
  if (!a.is_unknown() && !b.is_unknown() && (a.high() < b.low() || b.high() < a.low())) return false;
  return assay_reference_choose(2) == 1;
}
inline bool operator!=(const Number& a, const Number& b) { return !(a == b); }

inline bool isnan(const Number& x) {
  const bool may_be = (x.closed().may_be() & kNotNumber) != 0;
  return x.is_nan() || (may_be && assay_reference_choose(2) == 1);
}

namespace detail {
/// A function that is constant between whole multiples of 1 / 2: which of its values it has is chosen.
template <class F>
Number step(const Number& argument, F f) {
  const Number x = argument.closed();
  if (x.whole().is()) return x;
  if (x.is_nan() || __builtin_isinf(x.value())) return x.computed();
  if (x.is_unknown()) return Number::unknown();
  const double low = f(x.low()), high = f(x.high());
  if (low == high) return Number::exactly(low);
  if (high - low > 64) return Number::unknown();
  return Number::exactly(low + assay_reference_choose(static_cast<unsigned>(high - low) + 1));
}
}  // namespace detail

inline Number floor(const Number& x) {
  return detail::step(x, [](double v) { return __builtin_floor(v); });
}
inline Number ceil(const Number& x) {
  return detail::step(x, [](double v) { return __builtin_ceil(v); });
}
inline Number rint(const Number& x) {  // ties to even
  return detail::step(x, [](double v) { return __builtin_rint(v); });
}
inline Number round(const Number& x) {  // ties away from zero
  return detail::step(x, [](double v) { return __builtin_round(v); });
}
inline Number trunc(const Number& x) {
  return detail::step(x, [](double v) { return __builtin_trunc(v); });
}

/// A whole number as C++ has it; any way that rounding towards zero may go. Nothing can be said of what
/// follows from NaN, from infinity and from what is unknown.
inline Index whole(const Number& x) {
  if (x.whole().is()) return static_cast<Index>(x.whole().bits());
  const Number cut = trunc(x);
  if (cut.is_nan() || cut.is_unknown() || __builtin_fabs(cut.value()) > 0x1p62) {
    assay_reference_cannot_say();
    return 0;
  }
  return static_cast<Index>(cut.value());
}

}  // namespace assay_reference
