// Runs a program to its end and keeps what it wrote.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/sandbox/landlock.hpp"

namespace assay::sandbox {

struct ProgramOptions {
  std::string directory = {};                 ///< where it runs; default: here
  std::vector<std::string> environment = {};  ///< "NAME=value", beside what this process has
  std::optional<FileAccess> files = {};       ///< confines it: these files, no network, no other processes
  double timeout_s = 0;                       ///< of the wall clock, for it and all that it starts; 0: none
  std::uint64_t memory_bytes = 0;             ///< addresses that each process of it may have; 0: no limit
  std::uint64_t output_bytes = std::uint64_t{1} << 28;  ///< of each of its two streams, and of a file
};

struct ProgramResult {
  int exit_code = -1;   ///< 128 + signal if a signal ended it
  std::string out;      ///< standard output
  std::string err;      ///< standard error
  std::string stopped;  ///< why it was stopped: "it did not end within 5 s"; empty if it ended by itself
};

/// The program cannot be started.
class ProgramError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `argv[0]` is searched in PATH. Standard input is empty, and no descriptor of this process is left open in
/// it. It has a process group of its own, all of which ends with it, with this process or thread, or with the
/// time. Throws ProgramError.
ProgramResult run_program(const std::vector<std::string>& argv, const ProgramOptions& options = {});

}  // namespace assay::sandbox
