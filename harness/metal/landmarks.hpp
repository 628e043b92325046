// Whole numbers that stand in a kernel's text: where a size or a count meets one of them, the kernel may do
// something else.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/metal/token.hpp"

namespace assay::metal {

/// Of the tokens that a kernel uses (live_tokens()), behind the preprocessor: the values of literals and of
/// named constants from 2 to 2^16, and the sums and products of two that stand in one expression; each once,
/// those that the text has itself first, each part ascending. At most 24 and 40.
std::vector<std::int64_t> landmarks_of(const TokenText& text, const std::vector<bool>& live);

}  // namespace assay::metal
