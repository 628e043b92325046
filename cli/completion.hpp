// What shells complete on a command line of assay.
#pragma once

#include <string>
#include <vector>

namespace assay::cli {

struct CommandOption {
  std::vector<std::string> names;    ///< "--mode"
  bool takes_value = false;          ///< else a flag
  std::vector<std::string> choices;  ///< the values that it takes, where they are few
};

/// A command, its options and the commands that may follow it.
struct CommandWords {
  std::string name;
  bool takes_kernels = false;  ///< names of kernels of a manifest
  std::vector<CommandOption> options;
  std::vector<CommandWords> commands;
};

/// The whole command line: a command without a name.
CommandWords command_words();

/// A script for "bash" or "zsh" that completes commands, options, their values, files, and names of kernels,
/// which it asks the program for.
std::string completion_script(const CommandWords& program, const std::string& shell);

}  // namespace assay::cli
