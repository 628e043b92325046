// Casts of pointers to numbers. Device memory has addresses that mean something; where a thread keeps its own
// variables is nobody's business, and differs from one mode to the next.
#pragma once

#include "harness/metal/token.hpp"

namespace assay::metal {

/// `(ulong)p`, `ulong(p)` and `reinterpret_cast<ulong>(p)` -> `(ulong)::assay_msl::number_of(p)`, which ends
/// a thread that has `p` lead to its own variables (stdlib/metal/number_of.h), and is `p` otherwise. The
/// types are those of 64 bits, and names that the text gives them.
void watch_address_casts(TokenText& text);

}  // namespace assay::metal
