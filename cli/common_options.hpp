// Options that several commands have.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace assay::cli {

/// --manifest.
void add_manifest(CLI::App& command, std::optional<std::string>& manifest);

/// Kernels by name, and --manifest.
void add_kernels(CLI::App& command, std::vector<std::string>& kernels, std::optional<std::string>& manifest);

/// --timeout and --trace; the latter is returned.
CLI::Option* add_run_options(CLI::App& command, double& timeout_s, bool& trace);

}  // namespace assay::cli
