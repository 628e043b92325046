// The command line as CLI11 knows it: which options each command has.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "cli/arguments.hpp"

namespace assay::cli {

struct CommandLine {
  CommandLine();
  CommandLine(const CommandLine&) = delete;  // its commands write into `chosen`
  CommandLine& operator=(const CommandLine&) = delete;

  CLI::App app;
  std::optional<Arguments> chosen;  ///< once it was parsed: of the command that was named
};

}  // namespace assay::cli
