// One [[kernel]] table to a KernelEntry; the reader of whole manifests is manifest_reader.cpp.
#pragma once

#include <toml++/toml.h>

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "harness/verify/manifest.hpp"

namespace assay {

/// Bytes of a name.
inline constexpr std::size_t kMaxName = 200;

/// Reads every field and refuses unknown ones. `file` is used in messages and to place relative paths.
/// Throws ManifestError.
KernelEntry read_entry(const toml::table& table, const std::filesystem::path& file);

/// May a kernel be called so? Letters, digits, '_', '-' and '.', 1 to 200 of them.
bool is_kernel_name(std::string_view name);

}  // namespace assay
