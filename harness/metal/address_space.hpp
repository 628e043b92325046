// Rewrites address-space qualifiers and declarations in threadgroup memory.
#pragma once

#include <string>
#include <vector>

#include "harness/metal/token.hpp"

namespace assay::metal {

/// Erases `device`, `thread`, `threadgroup` and `constant` (const where it is not written already) and
/// turns variables declared in threadgroup memory into references to their slot of the arena:
/// `threadgroup half A[64][32];` becomes
/// `typedef half assay_t0[64][32]; assay_t0& A = assay_slot<0, assay_t0>();`. Returns the names, by slot.
std::vector<std::string> erase_address_spaces(TokenText& text);

}  // namespace assay::metal
