// What of a text its kernel uses, by token.
#pragma once

#include <vector>

#include "harness/metal/text/outline.hpp"
#include "harness/metal/text/token.hpp"

namespace assay::metal {

/// Which tokens of a preprocessed text belong to the kernel, and to what it uses, less those of pieces that
/// nobody wrote (device::SourcePiece). `outline`: of that text.
std::vector<bool> live_tokens(const TokenText& text, const Outline& outline);

}  // namespace assay::metal
