// The arguments that the program was started with, up to the command that they choose.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

namespace assay::cli {

/// Has `app` read them. The exit status where nothing is left to do: --help and --version, which are printed.
/// Throws std::invalid_argument, one line that names the argument.
std::optional<int> parse(CLI::App& app, int argc, const char* const* argv);

}  // namespace assay::cli
