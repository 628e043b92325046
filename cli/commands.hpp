// The subcommands of `assay`. Each adds itself to the application; what it returns is the exit status.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace assay::cli {

using Command = std::function<int()>;

/// Each registers a subcommand whose callback stores the work to do in `chosen`.
void add_list(CLI::App& app, Command& chosen);
void add_verify(CLI::App& app, Command& chosen);
void add_replay(CLI::App& app, Command& chosen);
void add_golden(CLI::App& app, Command& chosen);
void add_profile(CLI::App& app, Command& chosen);
void add_claims(CLI::App& app, Command& chosen);
void add_mutate(CLI::App& app, Command& chosen);
void add_repair(CLI::App& app, Command& chosen);
void add_cache(CLI::App& app, Command& chosen);

}  // namespace assay::cli
