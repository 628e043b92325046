// Contraction and flushing of halves, and `#pragma METAL fp`: what clang has no flag for, done to the text of
// sums.
//
// LLVM contracts floats, after inlining, but not halves that the processor has no arithmetic for; and it
// knows nothing of Metal's pragmas. A sum is found by its `+` or `-`, which no declaration has.
#pragma once

#include <string>

#include "harness/metal/token.hpp"
#include "harness/metal/toolchain.hpp"

namespace assay::metal {

/// Under Numerics::contracted, `a * b + c` becomes a call that rounds once if it is of halves, and likewise
/// `c - a * b`, `c += a * b` and so on; indices in [] are left alone. Where `#pragma METAL fp contract(off)`
/// holds in that mode, or `math_mode(safe)` under Numerics::reassociated, or either under Numerics::relaxed,
/// the operands and results of sums and products are hidden from the optimizer instead. Under
/// Numerics::relaxed, `a / b` becomes a call that multiplies by the reciprocal, and under
/// Numerics::approximate one that is as far off as fast math grants; there in [] too, where an index is
/// converted from floats. Under Numerics::flushed, sums, products and quotients become calls that flush
/// subnormal halves. What is not understood is left as it is.
///
/// A pragma holds to the end of the block, or of the file, that it stands in.
void apply_numerics(TokenText& text, Numerics numerics);

/// Whether Numerics::approximate has made calls of quotients in what is lowered.
bool has_quotients(const std::string& lowered);

}  // namespace assay::metal
