// One [[kernel]] table to a KernelEntry; the reader of whole manifests is manifest_reader.cpp.
#pragma once

#include <toml++/toml.h>

#include <filesystem>

#include "harness/verify/manifest.hpp"

namespace assay::verify {

/// Reads every field and refuses unknown ones. `file` is used in messages and to place relative paths.
/// Throws ManifestError.
KernelEntry read_entry(const toml::table& table, const std::filesystem::path& file);

}  // namespace assay::verify
