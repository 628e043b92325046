#include "cli/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output.hpp"

namespace assay::cli {
namespace {

// What CLI11 would take otherwise than it is meant. `--report= name`, as `--report="$UNSET" name` comes out:
// the next argument as the value. `[]`: a list, and an empty one of kernels is all of them.
void refuse_what_is_misread(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--") return;
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      throw std::invalid_argument(fmt::format("{}: no value stands behind the =", argument));
    }
    if (argument.starts_with("[") && argument.ends_with("]")) {
      throw std::invalid_argument(
          fmt::format("`{}`: no list in brackets is taken; write names one after another, ./{} for a file",
                      argument, argument));
    }
  }
}

std::string help_of(const CLI::App& app) {
  std::string command = "assay";
  for (const auto* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    command += " " + at->get_name();
  }
  return command + " --help";
}

std::string names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// The command that one of its own was expected behind.
const CLI::App& last_command(const CLI::App& app) {
  const auto* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

std::string what_is_wrong(const CLI::App& app, const CLI::ParseError& error) {
  const auto unexpected = app.remaining(true);
  const auto& command = last_command(app);
  if (command.get_require_subcommand_min() > 0 && command.get_subcommands().empty()) {
    const std::string commands = names_of_commands(command);
    if (!unexpected.empty()) return fmt::format("`{}` is none of {}", unexpected.front(), commands);
    return fmt::format("{} must be followed by one of {}", command.get_name(), commands);
  }
  if (!unexpected.empty()) return fmt::format("`{}`: no such option or argument", unexpected.front());
  return error.what();
}

}  // namespace

std::optional<int> parse(CLI::App& app, int argc, const char* const* argv) {
  refuse_what_is_misread(argc, argv);
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      std::ostringstream text;
      const int status = app.exit(error, text, text);
      write(text.str());
      return status;
    }
    throw std::invalid_argument(fmt::format("{}; see {}", what_is_wrong(app, error), help_of(app)));
  }
}

}  // namespace assay::cli
