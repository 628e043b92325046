// Conversions to integers that saturate, where the author of a kernel accepts that (docs/manifest.md,
// `accept`).
#pragma once

#include "harness/metal/token.hpp"

namespace assay::metal {

/// `int(x)`, `(int)x` and `static_cast<int>(x)`, of any type of integers, become calls of
/// assay_msl::saturated() (stdlib/metal/type_traits.h). Conversions that the text does not write out stay
/// what they are.
void saturate_conversions(TokenText& text);

}  // namespace assay::metal
