// Files that are written whole: whoever opens one finds what was there before, or all of what is there now.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace assay {

/// What a file is called until it is whole, beside where it will be. A program that is killed may leave it.
inline constexpr std::string_view kPartSuffix = ".assay-part";

/// Writes the pieces one after another and puts the file in the place of what was there. What is no regular
/// file (a pipe, /dev/stdout) is written to as it is; a link is refused. Throws std::runtime_error `FILE:
/// why`; nothing is left then.
void replace_file(const std::filesystem::path& path, std::span<const std::string_view> pieces);

/// Throws what replace_file would where it cannot begin: no such folder, a directory of that name, no
/// permission.
void check_replaceable(const std::filesystem::path& path);

}  // namespace assay
