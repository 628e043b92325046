// binary64 to binary16 with one rounding, which processors do not have.
#pragma once

namespace assay_msl {
/// To float with the sticky bit kept (round to odd), then to half.
inline __attribute__((always_inline)) constexpr _Float16 half_from_double(double x) {
  const float nearest = float(x);
  unsigned bits = __builtin_bit_cast(unsigned, nearest);
  const double error = x - double(nearest);
  if ((error < 0 || error > 0) && !(bits & 1)) bits += (error > 0) == (x > 0) ? 1 : -1;
  return _Float16(__builtin_bit_cast(float, bits));
}
}  // namespace assay_msl
