// Parsing, and what is wrong with a command line.
#include "cli/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <stdexcept>
#include <string_view>

#include "cli/output.hpp"
#include "cli/subcommands.hpp"
#include "harness/verify/near.hpp"

namespace assay::cli {
namespace {

// What CLI11 would take otherwise than it is meant. `--report= name`, as `--report="$UNSET" name` comes out:
// the next argument as the value. `[]`: a list, and an empty one of kernels is all of them.
void refuse_what_is_misread(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--") return;
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      throw std::invalid_argument(fmt::format("{}: the value after = is missing", argument));
    }
    if (argument.starts_with("[") && argument.ends_with("]")) {
      throw std::invalid_argument(fmt::format(
          "`{}`: a list in brackets is not understood; write names one after another, or ./{} for a file",
          argument, argument));
    }
  }
}

// The command that was named last: what is wrong is wrong there.
const CLI::App& last_command(const CLI::App& app) {
  const auto named = app.get_subcommands();
  return named.empty() ? app : last_command(*named.front());
}

// "assay golden make".
std::string full_name(const CLI::App& command) {
  const auto* parent = command.get_parent();
  return (parent == nullptr ? "" : full_name(*parent) + " ") + command.get_name();
}

// CLI11 says "--cases: 1 required UINT:1 to 1,000,000 missing", and
// "--cases: At Most 1 required but received 2".
std::string in_our_words(const CLI::ParseError& error) {
  std::string text = error.what();
  const std::string option = text.substr(0, text.find(':'));
  if (error.get_name() != "ArgumentMismatch") return text;
  if (text.ends_with(" missing")) return option + ": the value is missing";
  if (text.find("At Most 1 required") != text.npos) return option + ": is given more than once";
  return text;
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* one : command.get_options()) {
    for (const auto& name : one->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string what_is_wrong(const CLI::App& app, const CLI::ParseError& error) {
  const auto unexpected = app.remaining(true);
  const auto& command = last_command(app);
  if (command.get_require_subcommand_min() > 0) {  // none of its own was named
    std::vector<std::string> commands;
    for (const auto* one : command.get_subcommands([](const auto*) { return true; }))
      commands.push_back(one->get_name());
    const auto names = fmt::format("{}", fmt::join(commands, ", "));
    if (!unexpected.empty())
      return fmt::format("`{}` is not one of {}{}", unexpected.front(), names,
                         did_you_mean(unexpected.front(), commands));
    return fmt::format("{} must be followed by one of {}", command.get_name(), names);
  }
  if (!unexpected.empty())
    return fmt::format("`{}`: there is no such option or argument{}", unexpected.front(),
                       did_you_mean(unexpected.front(), options_of(command)));
  return in_our_words(error);
}

}  // namespace

std::optional<Arguments> parse(int argc, const char* const* argv) {
  refuse_what_is_misread(argc, argv);
  CommandLine line;
  auto& app = line.app;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0)
      throw std::invalid_argument(
          fmt::format("{}; see {} --help", what_is_wrong(app, error), full_name(last_command(app))));
    std::ostringstream text;  // --help, --version
    app.exit(error, text, text);
    write(text.str());
    return std::nullopt;
  }
  if (auto* const watch = std::get_if<WatchArguments>(&*line.chosen))
    watch->options.assign(argv + 2, argv + argc);
  return std::move(line.chosen);
}

}  // namespace assay::cli
