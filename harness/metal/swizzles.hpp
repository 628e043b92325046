// Swizzles where a vector has to stand: `c ? v.zw : v.xy`, `v.wzyx.x`, `f(v.xyz)` of a function template.
#pragma once

#include <optional>
#include <vector>

#include "harness/metal/token.hpp"

namespace assay::metal {

struct UndecidedSwizzle {
  TokenRange range;
  /// `v.lo.x = 1`: the components of it that are changed.
  std::optional<std::size_t> letters = std::nullopt;
};

/// In the stand-in library each swizzle has a type of its own, which becomes a vector where one is asked for.
/// Finds those that nobody asks: branches of "?:", what a component is taken of, initialisers of `auto`, and
/// arguments that the parameters of the text's function templates and generic lambdas are deduced from.
/// Nested ranges may share an end.
std::vector<UndecidedSwizzle> undecided_swizzles(const TokenText& text);

/// Puts assay_msl::whole() around each, or assay_msl::part() around what is changed, inside of what other
/// passes have written there since.
void make_whole(TokenText& text, const std::vector<UndecidedSwizzle>& swizzles);

/// `v.s0246`, several components of a vector of 8 or 16 by their numbers -> `v.template components<0, 2, 4,
/// 6>()`; `v.s2` of a vector of any length -> `v[2]`. A word that the text has without a dot before it is its
/// own name for something.
void rewrite_numbered_components(TokenText& text);

}  // namespace assay::metal
