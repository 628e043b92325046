// What is wrong with a manifest, or with a kernel that is described in code.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace assay {

/// what() is one line, `file:line: field: what is wrong and what to do`; control characters stand there as
/// \xNN, and of parts that are very long only the beginning.
class ManifestError : public std::runtime_error {
 public:
  ManifestError(const std::filesystem::path& file, std::uint32_t line, std::string_view field,
                std::string_view what);
};

}  // namespace assay
