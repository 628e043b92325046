// Indices of arrays, which checked code holds against the size of what they are indices of.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/metal/token.hpp"

namespace assay::metal {

/// `a.b[i]`: what is indexed, and the brackets.
struct Subscript {
  TokenRange object;
  std::size_t open = 0, close = 0;
  bool of_member = false;  ///< what is indexed is named behind a point or an arrow
};

/// Those of an element that is used where it stands: not of `&a[i]`, which may be the address behind the
/// last. Of what is not understood, and of what may be a declaration, there is none.
std::vector<Subscript> subscripts_of(const TokenText& text);

/// Puts assay_msl::inside(), or inside_member(), around each index (stdlib/metal/inside.h), with the type of
/// the object as other passes have left it. To be the last pass.
void check_subscripts(TokenText& text, const std::vector<Subscript>& subscripts);

}  // namespace assay::metal
