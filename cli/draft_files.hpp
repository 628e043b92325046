// What `assay check` and `assay init` have in common: which kernel of a file, and files that are not to be
// lost.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "assay/device/device.hpp"

namespace assay::cli {

/// The kernel that is named, or the only one. Throws std::invalid_argument that lists those there are, and
/// what reading the text throws.
std::string choose_kernel(const device::KernelSource& source, const std::optional<std::string>& named);

/// Lets the text, and what it includes, come from the project around it and from the folders that the command
/// line names.
void allow_told(const device::KernelSource& source);

/// Writes a file whole. Throws std::invalid_argument where one is there that holds something else and `force`
/// is not said.
void write_new(const std::filesystem::path& file, const std::string& text, bool force);

}  // namespace assay::cli
