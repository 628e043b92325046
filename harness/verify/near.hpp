// "Did you mean": of the words that are known, the one that somebody has mistyped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The known word that is fewest letters away: changed, left out, added, or exchanged with the next. "" where
/// none is near, by a third of its letters.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

/// "; did you mean `x`?", or "".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace assay
