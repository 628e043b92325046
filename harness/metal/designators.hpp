// `float sums[n] = {[0 ... n - 1] = 0};`: initialisers by index and by range, which g++ takes in C alone.
#pragma once

#include "harness/metal/token.hpp"

namespace assay::metal {

/// Writes such initialisers as what C++ has. Where the indices are plain numbers, or constants at namespace
/// scope, the list is written out; where they are not, as in templates, loops follow the declaration. Tokens
/// are added and taken away: indices of tokens are void if it returns true. Throws UnsupportedFeature for
/// those that are neither.
bool write_out_designators(TokenText& text);

}  // namespace assay::metal
