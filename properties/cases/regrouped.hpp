// What a compiler may have made of the arithmetic that a kernel declares (docs/numerics.md).
#pragma once

namespace assay::properties {

/// While one lives, on its thread, what is right allows for products and sums of one type having been
/// regrouped: Operation::expect() is given what the manifest declares, and a mode decides what becomes of it.
class RegroupedArithmetic {
 public:
  RegroupedArithmetic();
  ~RegroupedArithmetic();
  RegroupedArithmetic(const RegroupedArithmetic&) = delete;
  RegroupedArithmetic& operator=(const RegroupedArithmetic&) = delete;

  static bool in_force();
};

}  // namespace assay::properties
