// Rewrites address-space qualifiers.
#pragma once

#include "harness/metal/token.hpp"

namespace assay::metal {

/// Erases `device`, `thread` and `threadgroup`; `constant` becomes const where const is not written already.
void erase_address_spaces(TokenText& text);

}  // namespace assay::metal
