// The compiler's own half: an oracle for ours.
#pragma once

#include <bit>
#include <cstdint>

namespace assay::reference {

inline _Float16 compiler_half(std::uint16_t bits) { return std::bit_cast<_Float16>(bits); }

}  // namespace assay::reference
