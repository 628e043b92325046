// Whole numbers that are made of whole numbers: exact, as a kernel has them that computes in integers.
#pragma once
#include "assay/reference/format.h"

namespace assay_reference::detail {

/// Kept modulo 2^64, of which all integer types of kernels are a part: sums and products that wrap there are
/// right in the types that are smaller.
class Whole {
 public:
  Whole() = default;
  Whole(unsigned long bits, double value) : bits_(bits), value_(value) {}
  explicit Whole(long value) : Whole(static_cast<unsigned long>(value), static_cast<double>(value)) {}
  explicit Whole(unsigned long value) : Whole(value, static_cast<double>(value)) {}
  static Whole none() {
    Whole nothing;
    nothing.is_ = false;
    return nothing;
  }
  /// Of a constant, if it is whole.
  static Whole of(double constant) {
    const bool is = __builtin_fabs(constant) < 0x1p62 && __builtin_rint(constant) == constant;
    return is ? Whole(static_cast<long>(constant)) : none();
  }

  bool is() const { return is_; }
  unsigned long bits() const { return bits_; }

  friend Whole operator+(const Whole& a, const Whole& b) {
    return made(a, b, a.bits_ + b.bits_, a.value_ + b.value_);
  }
  friend Whole operator-(const Whole& a, const Whole& b) {
    return made(a, b, a.bits_ - b.bits_, a.value_ - b.value_);
  }
  friend Whole operator*(const Whole& a, const Whole& b) {
    return made(a, b, a.bits_ * b.bits_, a.value_ * b.value_);
  }
  Whole operator-() const { return made(*this, *this, 0 - bits_, -value_); }

  /// In the reals: without a rounding as far as 64 bits count.
  friend bool operator<(const Whole& a, const Whole& b) {
    const bool fit = __builtin_fabs(a.value_) < 0x1p62 && __builtin_fabs(b.value_) < 0x1p62;
    return fit ? static_cast<long>(a.bits_) < static_cast<long>(b.bits_) : a.value_ < b.value_;
  }

 private:
  static Whole made(const Whole& a, const Whole& b, unsigned long bits, double value) {
    Whole result(bits, value);
    result.is_ = a.is_ && b.is_;
    return result;
  }

  unsigned long bits_ = 0;
  double value_ = 0;  ///< to double precision
  bool is_ = true;
};

}  // namespace assay_reference::detail
