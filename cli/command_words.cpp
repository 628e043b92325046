// The command line as the words that a shell completes.
#include <algorithm>

#include "cli/completion.hpp"
#include "cli/subcommands.hpp"

namespace assay::cli {
namespace {

// "{fast,checked}" of what an option takes.
std::vector<std::string> choices_of(const std::string& takes) {
  std::vector<std::string> choices;
  const auto open = takes.find('{'), close = takes.find('}', open == takes.npos ? 0 : open);
  if (open == takes.npos || close == takes.npos) return choices;
  for (std::size_t at = open + 1; at < close;) {
    const auto end = std::min(takes.find(',', at), close);
    choices.push_back(takes.substr(at, end - at));
    at = end + 1;
  }
  return choices;
}

CommandWords describe(const CLI::App& app) {
  CommandWords words;
  words.name = app.get_parent() == nullptr ? "" : app.get_name();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      words.takes_kernels |= option->get_name(true) == "kernel";
      continue;
    }
    CommandOption one;
    for (const auto& name : option->get_lnames()) one.names.push_back("--" + name);
    one.takes_value = option->get_items_expected_max() > 0;
    one.choices = choices_of(option->get_type_name());
    if (!one.names.empty()) words.options.push_back(std::move(one));
  }
  for (const CLI::App* command :
       app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); }))
    words.commands.push_back(describe(*command));
  return words;
}

}  // namespace

CommandWords command_words() { return describe(CommandLine().app); }

}  // namespace assay::cli
