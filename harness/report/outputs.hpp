// The files that a command was asked to write its results to.
#pragma once

#include <optional>
#include <string>

#include "harness/report/results.hpp"

namespace assay::report {

struct Outputs {
  std::optional<std::string> json, junit;
};

/// Throws std::runtime_error `FILE: why` where one cannot be written, or both are the same file: to be found
/// before the work is done.
void check(const Outputs& outputs);

/// Writes what was asked for, each file as a whole. Throws std::runtime_error.
void write(const Outputs& outputs, const Results& results);

/// In a job of GitHub Actions, what annotates its source; else nothing.
std::string annotations_here(const Results& results);

}  // namespace assay::report
