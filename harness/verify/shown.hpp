// Foreign text (names, expressions, paths of a manifest) as messages show it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay {

/// Does UTF-8 text hold a control character: one below U+0020, DEL, or one of U+0080 to U+009F? A terminal
/// may act on those.
bool has_control(std::string_view text);

/// At most `most` bytes of UTF-8 text and "..." where there is more; control characters as \xNN. One line.
std::string shown(std::string_view text, std::size_t most = 100);

}  // namespace assay
