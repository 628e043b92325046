// A picture of which elements of an output are wrong.
#pragma once

#include <optional>
#include <string>

#include "harness/verify/compare.hpp"
#include "harness/verify/manifest.hpp"

namespace assay {

/// The output as at most 64 x 64 characters: '.' right, '#' wrong, '?' never written. Where one character
/// stands for several elements the worst of them shows. Lines mark the borders of `tile` (its m along rows,
/// its n along columns) unless they would stand too close; rows of characters that repeat are said, not
/// drawn. Lines end in
/// '\n' and are at most 100 characters long; each begins with `indent` spaces (up to 8).
std::string output_map(const Comparison& comparison, const std::optional<Tile>& tile, std::size_t indent = 2);

}  // namespace assay
