// Finding the kernels that a command is about.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/verify/manifest.hpp"

namespace assay::run {

/// kernels.toml in this directory where there is one; else the manifest of Assay's own kernels,
/// kernels/kernels.toml in this directory or above the program, or where it is installed. Throws
/// std::runtime_error that says what to do.
std::filesystem::path default_manifest();

/// That manifest, or where none is named default_manifest(), with what that throws.
std::filesystem::path manifest_path(const std::optional<std::string>& path);

/// From here on, kernels whose entries name no version of Metal are of this one: what a command line says.
void assume_metal_version(unsigned version);

/// Reads a manifest and checks every entry against its operation: what an entry cannot be used for is kept as
/// its error. Where the manifest lies below the working directory, its entries name it from there, and so do
/// the replay lines of their failures. Throws ManifestError where the file is no manifest.
Manifest load_entries(const std::optional<std::string>& path);

/// Kernels that can be used: those named, or all where `names` is empty. A name may be a pattern (fnmatch):
/// marlin_*. Throws std::runtime_error for a name that the manifest lacks (it lists those there are, and
/// which may have been meant), and the ManifestError of a kernel that is asked for, not of others.
std::vector<KernelEntry> load_manifest(const std::optional<std::string>& path,
                                       const std::vector<std::string>& names = {});

/// Those named, in the manifest's order; all where `names` is empty. Throws std::runtime_error that lists
/// the names there are.
std::vector<const KernelEntry*> choose(const std::vector<KernelEntry>& entries,
                                       const std::vector<std::string>& names);

}  // namespace assay::run
