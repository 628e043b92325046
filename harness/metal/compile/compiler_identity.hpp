// Which compiler this is, and which processor it compiles for.
#pragma once

#include <filesystem>
#include <string>

namespace assay::metal {

/// What `compiler`, a file, says of itself: version and target, part of every cache key. Kept in `cache`,
/// until that file is another or the processor is. Throws ToolchainError where it does not work.
std::string identity_of(const std::string& compiler, const std::filesystem::path& cache);

}  // namespace assay::metal
