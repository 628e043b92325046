// FP4 E2M1: sign, two exponent bits, one fraction bit; no infinity, no NaN (docs/formats.md, "FP4").
#pragma once

#include <cstdint>

namespace assay::reference {

/// Value of code 0..15: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and the negatives; code 8 is -0.
/// Throws std::invalid_argument for a larger code, as all functions here do.
double fp4_value(unsigned code);

/// The same value as a half, put together from the bits as a kernel does it: an exponent field E > 0 gives
/// S<<15 | (E+14)<<10 | M<<9; with E = 0, M = 1 is 0.5 and M = 0 is a zero of that sign.
std::uint16_t fp4_to_half(unsigned code);

/// The nearest code; ties go to even M, magnitudes above 6 (infinities too) saturate to 6, the sign is kept.
/// Throws std::invalid_argument on NaN.
unsigned fp4_from_half(std::uint16_t half);

/// The weight of a code under its group's scale: RN16(value(code) * scale), one rounding.
std::uint16_t fp4_weight(unsigned code, std::uint16_t scale);

}  // namespace assay::reference
