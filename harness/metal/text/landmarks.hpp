// Whole numbers that stand in a kernel's text: where a size or a count meets one of them, the kernel may do
// something else.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/metal/text/outline.hpp"
#include "harness/metal/text/token.hpp"

namespace assay::metal {

/// Of what a kernel uses of a preprocessed text, whose outline that is: the values of literals, of named
/// constants and of templates' arguments from 2 to 2^16, and the sums and products of two that stand in one
/// expression; each once, those that the text has itself first, each part ascending. At most 24 and 40.
std::vector<std::int64_t> landmarks_of(const TokenText& text, const Outline& outline);

}  // namespace assay::metal
