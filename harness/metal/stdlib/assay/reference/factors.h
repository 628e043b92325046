// Products of exact numbers: kernels multiply their factors in any order.
#pragma once
#include "assay/reference/format.h"

namespace assay_reference::detail {

inline bool is_power_of_two(double value) {
  return value != 0 && value - value == 0 && __builtin_ilogb(value) == unit_of(value);
}

/// The factors of a product, as far as they are few enough to try every order.
class Factors {
 public:
  Factors() = default;
  explicit Factors(double value) : values_{value}, count_(1) {}

  bool are_none() const { return count_ == 0; }
  bool are_known() const { return count_ <= kMost; }
  int count() const { return count_; }

  Factors with(const Factors& others) const {
    Factors all = *this;
    all.count_ += others.count_;
    for (int i = 0; all.are_known() && i < others.count_; ++i) all.values_[count_ + i] = others.values_[i];
    return all;
  }

  /// What becomes of the products of two of them and more.
  struct Orders {
    bool exact = true;   ///< each is a number of the accumulator
    bool normal = true;  ///< none is below its normal numbers
  };
  Orders orders() const {
    Orders found;
    for (int chosen = 3; are_known() && chosen < (1 << count_) - 1; ++chosen) {
      if ((chosen & (chosen - 1)) == 0) continue;  // one factor alone
      double product = 1;
      for (int i = 0; i < count_; ++i) {
        if ((chosen >> i & 1) == 0) continue;
        const double next = product * values_[i];
        found.exact &= __builtin_fma(product, values_[i], -next) == 0;
        product = next;
      }
      const double magnitude = __builtin_fabs(product);
      found.normal &= magnitude >= __builtin_ldexp(1.0, Accumulator::format.least);
      found.exact &= fits(product);
    }
    return found;
  }

 private:
  static constexpr int kMost = 4;
  double values_[kMost] = {};
  int count_ = 0;  ///< beyond kMost: they are not known
};

}  // namespace assay_reference::detail
