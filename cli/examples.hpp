// What `assay COMMAND --help` shows at its end: command lines to start from.
#pragma once

#include <string>
#include <vector>

namespace assay::cli {

struct CommandExamples {
  std::string command;             ///< "golden make"
  std::vector<std::string> lines;  ///< for a shell
};

/// Of every command that does something.
const std::vector<CommandExamples>& examples();

/// Those of one command as the end of its help; "" where it has none.
std::string examples_text(const std::string& command);

}  // namespace assay::cli
