// Folders and files that nobody but this user, and who runs the machine, can have put there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace assay::metal {

/// Why others could exchange what lies in a folder, as the end of a sentence; "" where nobody can. The folder
/// and each one above it belong to this user or to root, and only they may write to them; a folder that
/// everybody may write to, as /tmp, is fine above one of this user's own if it is sticky. The folder itself
/// is no link, and links above it belong to this user or to root.
std::string foreign_hand(const std::filesystem::path& folder);

/// Throws ToolchainError where others could: what lies in a cache is loaded, and compilers read it.
void refuse_foreign_hands(const std::filesystem::path& cache);

/// The bytes of a regular file of this user that others may not write to; nothing of any other, nor of what a
/// link leads to, nor of a pipe, for which nobody waits.
std::optional<std::string> own_file(const std::filesystem::path& file);

}  // namespace assay::metal
