// Subcommands as they are added to the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "cli/arguments.hpp"

namespace assay::cli {

/// The program, and the arguments of the subcommand that was named, once it was parsed.
struct Subcommands {
  CLI::App& app;
  std::optional<Arguments>& chosen;

  /// A subcommand of the program or of a group, and what it is given.
  template <class T>
  std::pair<CLI::App&, T&> add(const char* name, const char* help, CLI::App* group = nullptr) {
    auto arguments = std::make_shared<T>();
    auto* command = (group == nullptr ? app : *group).add_subcommand(name, help);
    command->callback([&chosen = chosen, arguments] { chosen = *arguments; });
    return {*command, *arguments};
  }
};

/// Those of verification: list, verify, watch, check, init, fuzz, replay.
void add_verification(Subcommands& to);

}  // namespace assay::cli
