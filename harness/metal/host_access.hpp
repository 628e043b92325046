// What a kernel's text may not say, since it would reach the host that simulates it.
#pragma once

#include <vector>

#include "harness/metal/declaration.hpp"
#include "harness/metal/token.hpp"

namespace assay::metal {

/// Throws UnsupportedFeature, with the place, where what stays of a text
/// - declares something of the host's: `extern`, but for kernel functions with a body (`extern "C" kernel
/// void
///   f() {...}`) and types and kernels in an `extern "C"` block;
/// - has inline assembly, or attributes other than those that mean something in Metal: they choose sections,
///   symbols, and code that runs when an object is loaded;
/// - uses built-ins of the compiler's that are no arithmetic, or parts of C++ that Metal lacks and that need
///   the host's library or memory of the host's threads.
/// What does not stay never reaches the compiler, so it may say anything: headers that a kernel shares with
/// its host program do.
void refuse_host_access(const TokenText& text, const std::vector<Declaration>& declarations);

}  // namespace assay::metal
