// Files that hold a replay line, as assay fuzz keeps them. Anybody may write one.
#pragma once

#include <filesystem>
#include <string>

#include "harness/run/replay_line.hpp"

namespace assay::run {

/// The line of a file: the first that is not empty and does not begin with #; what follows it is for people.
/// Throws std::invalid_argument `FILE: why`: it cannot be read, holds none, or its line is too long.
std::string replay_line_in(const std::filesystem::path& file);

/// What `assay replay` is given: a line, or the name of a file that is there. Throws std::invalid_argument as
/// replay_line_in() and parse_replay_line() do.
ReplayLine read_replay_argument(const std::string& argument);

}  // namespace assay::run
