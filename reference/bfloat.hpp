// bfloat16: the upper half of a float's bits, eight bits of significand.
#pragma once

#include <cstdint>

namespace assay::reference {

/// Exact.
double bfloat_to_double(std::uint16_t bits);

/// One rounding to nearest even; overflow to infinity; a NaN gives 0x7FC0 with its sign.
std::uint16_t bfloat_from_double(double value);

}  // namespace assay::reference
