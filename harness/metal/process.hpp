// Runs a program to its end and keeps what it wrote.
#pragma once

#include <string>
#include <vector>

namespace assay::metal {

struct ProcessResult {
  int exit_code = -1;  ///< 128 + signal if a signal ended it
  std::string out;     ///< standard output
  std::string err;     ///< standard error
};

/// `argv[0]` is searched in PATH. Standard input is empty. The program speaks English, and finds none of the
/// variables that give compilers more include directories. `directory` is where it runs (default: here).
/// Throws ToolchainError if it cannot be started.
ProcessResult run_process(const std::vector<std::string>& argv, const std::string& directory = {});

}  // namespace assay::metal
