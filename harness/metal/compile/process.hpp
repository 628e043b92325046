// Starts the compiler and its like.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/metal/compile/toolchain.hpp"
#include "harness/sandbox/program.hpp"

namespace assay::metal {

using ProcessResult = sandbox::ProgramResult;

/// Runs a program as it is, unconfined. The program speaks English, and finds none of the variables that give
/// compilers more include directories. `directory` is where it runs (default: here).
/// Throws ToolchainError if it cannot be started.
ProcessResult run_process(const std::vector<std::string>& argv, const std::string& directory = {});

/// Runs a compiler on what comes from strangers: it may read its own files and `readable`, and write below
/// `scratch`, where its temporary files go too; its memory and its time are limited (docs/confinement.md).
/// Runs in `directory` (default: here). Throws ToolchainError if it cannot be started, did not end in time,
/// or found no room to write.
ProcessResult run_compiler(const Toolchain& tools, const std::vector<std::string>& argv,
                           const std::filesystem::path& scratch,
                           const std::vector<std::filesystem::path>& readable = {},
                           const std::string& directory = {});

/// What a compiler that failed has said, or how it ended where it said nothing.
std::string complaint(const ProcessResult& result);

}  // namespace assay::metal
