// Workflow commands of GitHub Actions: what is wrong, shown at the line of the `.metal` file.
#pragma once

#include <filesystem>
#include <string>

#include "harness/report/results.hpp"

namespace assay::report {

/// A line `::error file=...,line=...,title=...::message` for each kernel that does not pass, of its decisive
/// mode. Files below `workspace` are named from there.
std::string annotations(const Verified& verified, const std::filesystem::path& workspace);

/// Where a verdict is to be shown: at its fault where that is known; a claim that differs in the manifest, at
/// `kernel.place` otherwise.
device::SourcePlace place_of(const KernelResult& kernel, const run::ModeReport& mode);

/// Escapes what ends a message, and in a property what ends that: `%0A`, `%3A`.
std::string escaped_message(std::string_view text);
std::string escaped_property(std::string_view text);

}  // namespace assay::report
