// Finding the kernels that a command is about.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/verify/manifest.hpp"

namespace assay::cli {

/// The manifest of Assay's own kernels: kernels/kernels.toml in this directory or above the program, or where
/// it is installed. Throws std::runtime_error that says what to do.
std::filesystem::path default_manifest();

/// Reads and checks a manifest: every operation known, every argument one that its operation has. Throws
/// ManifestError.
std::vector<verify::KernelEntry> load_manifest(const std::optional<std::string>& path);

/// Those named, in the manifest's order; all where `names` is empty. Throws std::runtime_error that lists
/// the names there are.
std::vector<const verify::KernelEntry*> choose(const std::vector<verify::KernelEntry>& entries,
                                               const std::vector<std::string>& names);

}  // namespace assay::cli
